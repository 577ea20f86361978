import {
  type CloudAccess,
  cloudOfKuryrConf,
  findCloud,
  type KuryrConfiguration,
  kuryrConfiguration,
  parseKuryrConf,
} from "@pilothouse/openstack"
import { type Files, PilothouseError, readText } from "@pilothouse/seams"
import { parseCredentials } from "../kubeconfig/parse-credentials.ts"

/** Files that are at hand when a kuryr.conf is asked for, and what they are for. */
const others = {
  clouds:
    "a clouds.yaml; --os-cloud NAME chooses a cloud of it, and it is found in this directory, in ~/.config/openstack, in /etc/openstack, or where OS_CLIENT_CONFIG_FILE says",
  kubeconfig: "a kubeconfig; --kubeconfig takes it",
  openrc: "an openrc file; source it in your shell, and leave --config-file to a kuryr.conf",
} as const

/** What was asked for on the command line; empty is nothing. */
export interface CloudChoice {
  /** A kuryr.conf, or a YAML file with the same sections as keys. */
  readonly configFile: string
  /** A name in clouds.yaml. */
  readonly cloud: string
}

export interface CloudPlace {
  readonly files: Files
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly directory: string
}

export interface CloudSettings {
  readonly configuration: KuryrConfiguration
  readonly access: CloudAccess
  /** Options that stand more than once in a kuryr.conf: the last one counts. */
  readonly repeated?: readonly string[]
}

/** Reads the settings and the credentials: everything that is missing, of the options and of the credentials, is named at once. */
export function cloudSettings(choice: CloudChoice, place: CloudPlace): CloudSettings {
  const repeated: string[] = []
  const sections = choice.configFile === "" ? {} : sectionsIn(choice.configFile, place.files, (option) => repeated.push(option))
  const configuration = attempt(() => kuryrConfiguration(sections))
  const access = attempt(() => accessFor(choice, place, sections))
  if ("value" in configuration && "value" in access) return { configuration: configuration.value, access: access.value, repeated }
  // A cloud that was named is what is on the reader's mind; the options may be fine once it is found.
  const wrong = choice.cloud === "" ? [configuration, access] : [access, configuration]
  const lines = wrong.flatMap((one) => ("wrong" in one ? [one.wrong] : unknownLines(one.value)))
  throw new PilothouseError(
    "USAGE",
    `${lines.join("\n")}\n(${whereOf(choice, "wrong" in configuration || (choice.cloud === "" && hasLogin(sections)))})`,
  )
}

/** Which file it is about; and where that has no login, that it was looked for elsewhere. */
function whereOf({ configFile, cloud }: CloudChoice, isItsOwn: boolean): string {
  if (configFile === "") return "--config-file names a kuryr.conf, or a YAML file with its sections"
  if (isItsOwn) return configFile
  return cloud === ""
    ? `${configFile} has no auth_url in [neutron], so that others were asked`
    : `--os-cloud wins over [neutron] of ${configFile}`
}

function hasLogin({ neutron }: Sections): boolean {
  return Boolean(neutron?.auth_url)
}

/** A misspelt auth_url is no login, and nothing else would say so. */
function unknownLines(value: KuryrConfiguration | CloudAccess): readonly string[] {
  return "unknown" in value ? value.unknown.map((one) => `means nothing here: ${one}`) : []
}

type Sections = ReturnType<typeof sectionsOfYaml>

/** The credentials alone, for commands that can do without the rest. A cloud that is named wins, then the file's own, then clouds.yaml and OS_*. */
export function accessFor(choice: CloudChoice, place: CloudPlace, sections: Sections): CloudAccess {
  const own = choice.cloud === "" ? cloudOfKuryrConf(sections as never) : undefined
  return own ?? findCloud({ ...place, parseYaml: parseCredentials, cloud: choice.cloud || undefined })
}

export function sectionsIn(path: string, files: Files, repeated?: (option: string) => void): Sections {
  const text = readText(files, path)
  if (text === undefined) throw new PilothouseError("USAGE", `expected a kuryr.conf at ${path}, found no such file`)
  const isIni = firstLine(text).startsWith("[")
  if (!isIni && /\.(ya?ml|json)$/.test(path)) return sectionsOfYaml(parseCredentials(text, path) ?? {}, path)
  const other = isIni ? undefined : otherThan(text)
  if (other !== undefined) throw notKuryrConf(path, other)
  return parseKuryrConf(text, path, repeated)
}

function attempt<T>(work: () => T): { readonly value: T } | { readonly wrong: string } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof PilothouseError) return { wrong: error.message }
    throw error
  }
}

type FileSections = Parameters<typeof kuryrConfiguration>[0]

type Other = keyof typeof others

/** The first line that says something. */
function firstLine(text: string): string {
  return text.split(/\r?\n/).find((line) => !/^\s*([#;].*|---\s*)?$/.test(line)) ?? ""
}

/** Names the format of a text without sections, where it is known. */
function otherThan(text: string): Other | undefined {
  if (/^"?clouds"?\s*:/m.test(text)) return "clouds"
  if (/^kind:\s*Config\s*$/m.test(text)) return "kubeconfig"
  return /^[ \t]*(export[ \t]+)?OS_[A-Z_]+=/m.test(text) ? "openrc" : undefined
}

function notKuryrConf(path: string, found: Other): PilothouseError {
  return new PilothouseError("USAGE", `expected a kuryr.conf at ${path}, or a YAML file with its sections, found ${others[found]}`)
}

/** The sections of a kuryr.conf as keys, with the options below. */
function sectionsOfYaml(parsed: unknown, path: string): FileSections {
  const found = whatElse(parsed)
  if (found !== undefined) throw notKuryrConf(path, found)
  const isSections = isMapping(parsed) && Object.values(parsed).every(isMapping)
  if (isSections) return parsed as FileSections
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
