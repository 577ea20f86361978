import type { kuryrConfiguration } from "@pilothouse/openstack"
import { PilothouseError } from "@pilothouse/seams"

type Sections = Parameters<typeof kuryrConfiguration>[0]

/** Files that are at hand when a kuryr.conf is asked for, and what they are for. */
const others = {
  clouds:
    "a clouds.yaml; --os-cloud NAME chooses a cloud of it, and it is found in this directory, in ~/.config/openstack, in /etc/openstack, or where OS_CLIENT_CONFIG_FILE says",
  kubeconfig: "a kubeconfig; --kubeconfig takes it",
  openrc: "an openrc file; source it in your shell, and leave --config-file to a kuryr.conf",
} as const

type Other = keyof typeof others

/** The first line that says something. */
export function firstLine(text: string): string {
  return text.split(/\r?\n/).find((line) => !/^\s*([#;].*|---\s*)?$/.test(line)) ?? ""
}

/** Names the format of a text without sections, where it is known. */
export function otherThan(text: string): Other | undefined {
  if (/^"?clouds"?\s*:/m.test(text)) return "clouds"
  if (/^kind:\s*Config\s*$/m.test(text)) return "kubeconfig"
  return /^[ \t]*(export[ \t]+)?OS_[A-Z_]+=/m.test(text) ? "openrc" : undefined
}

export function notKuryrConf(path: string, found: Other): PilothouseError {
  return new PilothouseError("USAGE", `expected a kuryr.conf at ${path}, or a YAML file with its sections, found ${others[found]}`)
}

/** The sections of a kuryr.conf as keys, with the options below. */
export function sectionsOfYaml(parsed: unknown, path: string): Sections {
  const found = whatElse(parsed)
  if (found !== undefined) throw notKuryrConf(path, found)
  const isSections = isMapping(parsed) && Object.values(parsed).every(isMapping)
  if (isSections) return parsed as Sections
  const odd = isMapping(parsed) ? Object.keys(parsed).find((name) => !isMapping(parsed[name])) : undefined
  const instead = odd === undefined ? "something else" : `${odd} with no options below it`
  throw new PilothouseError(
    "USAGE",
    `expected sections of a kuryr.conf as keys in ${path}, each with options below ("neutron_defaults:" with "project: ID"), found ${instead}`,
  )
}

function whatElse(parsed: unknown): Other | undefined {
  if (!isMapping(parsed)) return undefined
  if (isMapping(parsed.clouds)) return "clouds"
  return parsed.kind === "Config" ? "kubeconfig" : undefined
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
