import { byFlagName, type Flags, flagName, type GivenSettings } from "@pilothouse/runtime"
import { closest, type Files, messageOf, PilothouseError, readText } from "@pilothouse/seams"
import { parse } from "yaml"
import { checkOwnSettings } from "./check-settings.ts"
import { checkControllers } from "./controllers/check-controllers.ts"
import { controllerFlags, type OwnSettings, openStackDefaults, ownFlags } from "./flags/flags.ts"
import { ignoredFlags } from "./flags/ignored-flags.ts"
import type { RunSettings } from "./flags/run-options.ts"

/** Words of the command line win over the file, the file over the defaults. Every fault names where it is. */
export function settingsOf(words: GivenSettings, file: GivenSettings): RunSettings {
  const flagsOfControllers = controllerFlags()
  const known: Flags = { ...ownFlags, ...flagsOfControllers }
  const ignored = Object.keys(file).filter((name) => ignoredFlags.includes(flagName(name)))
  const ofFile = Object.fromEntries(Object.entries(file).filter(([name]) => !ignored.includes(name)))
  const given = { ...checked(ofFile, known), ...words }
  const forHandlers = "openstack" in given && parsed("openstack", ownFlags.openstack, given.openstack) === true
  const defaults: GivenSettings = forHandlers ? openStackDefaults : {}
  const values = Object.entries<Flags[string]>(ownFlags).map(([name, flag]) => [
    name,
    name in given ? parsed(name, flag, given[name]) : (defaults[name] ?? flag.default),
  ])
  const own = Object.fromEntries(values) as OwnSettings
  const ofControllers = Object.entries(given).filter(([name]) => name in flagsOfControllers && !(name in ownFlags))
  for (const [name, value] of ofControllers) parsed(name, flagsOfControllers[name]!, value)
  if ("controllers" in given) checkControllers(own.controllers)
  checkOwnSettings(own)
  return { own, controllerSettings: Object.fromEntries(ofControllers), ignored: ignored.map(flagName) }
}

/** The configuration file: flag names without dashes before them, and their values. */
export function readConfiguration(files: Files, path: string): GivenSettings {
  const text = readText(files, path)
  if (text === undefined) throw new PilothouseError("USAGE", `expected a configuration file at ${path}, found nothing`)
  const value = parsedYaml(text, path)
  if (value === null || value === undefined) return {}
  if (typeof value === "object" && !Array.isArray(value)) return value as GivenSettings
  throw new PilothouseError(
    "USAGE",
    `expected flag names and values in ${path}, such as "leader-elect: false", found ${JSON.stringify(value)}`,
  )
}

function parsedYaml(text: string, path: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new PilothouseError("USAGE", `expected YAML in ${path}, found: ${messageOf(cause)}`, { cause })
  }
}

function checked(file: GivenSettings, known: Flags): GivenSettings {
  const unknown = Object.keys(file).find((name) => !(flagName(name) in known))
  if (unknown === undefined) return byFlagName(file)
  const near = closest(flagName(unknown), Object.keys(known))
  const hint = near === undefined ? '"pilothouse run --help" lists the flags' : `did you mean "${near}"?`
  throw new PilothouseError("USAGE", `expected the name of a flag in the configuration file, found "${unknown}"; ${hint}`)
}

function parsed(name: string, flag: Flags[string], value: unknown): unknown {
  try {
    return flag.parse(value)
  } catch (cause) {
    throw new PilothouseError("USAGE", `--${name}: ${messageOf(cause)}`, { cause })
  }
}

/** What can change while it runs: whatever is read again by itself. */
const live: ReadonlySet<string> = new Set(["kubeconfig", "context", "log-level", "logging-format"])

/** Names of settings that differ, apart by whether they can be changed while it runs. */
export function changedSettings(
  before: RunSettings,
  after: RunSettings,
): { readonly live: readonly string[]; readonly restart: readonly string[] } {
  const [old, now] = [before, after].map(({ own, controllerSettings }): GivenSettings => ({ ...own, ...controllerSettings })) as [
    GivenSettings,
    GivenSettings,
  ]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  )
  return { live: names.filter((name) => live.has(name)), restart: names.filter((name) => !live.has(name)) }
}
