import { milliseconds, PilothouseError } from "@pilothouse/seams"
import type { Controller } from "../controller/controller.ts"

/** Values of flags by name. Missing ones have their default. */
export type GivenSettings = Readonly<Record<string, unknown>>

/** Underscores in flag names are dashes, as upstream: its reference has "concurrent_rc_syncs". */
export function flagName(given: string): string {
  return given.replaceAll("_", "-")
}

/** Returns the values under normalized flag names. */
export function byFlagName(given: GivenSettings): GivenSettings {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [flagName(name), value]))
}

/** A feature gate of Kubernetes, and how mature what it guards is: AllAlpha and AllBeta are about all gates of one kind. */
export interface FeatureGate {
  readonly name: string
  readonly maturity: "alpha" | "beta"
}

/** One line of a table of controllers. `Needs` is what the controllers of that table need from the program, besides the API server. */
export interface ControllerDescriptor<Needs> {
  /** Upstream's name, as in --controllers. */
  readonly name: string
  /** Upstream's older, shorter names for it. */
  readonly aliases: readonly string[]
  /** Whether `--controllers=*` includes this one. */
  readonly onByDefault: boolean
  /** Upstream's feature gate of it: on, `--controllers=*` includes it; off, it does not run. Left at its default the gate decides nothing. */
  readonly featureGate?: FeatureGate
  readonly flags: Flags
  /** What it requires; it is left out where one of them is missing. */
  readonly needs: readonly (keyof Needs)[]
  create(given: GivenSettings, needs: Needs): readonly Controller[]
}

/** Options of a controller descriptor. */
export interface ControllerDescriptorOptions<F extends Flags, Needs> {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly onByDefault?: boolean
  readonly featureGate?: FeatureGate
  readonly flags?: F
  readonly needs?: readonly (keyof Needs)[]
  create(settings: Settings<F>, needs: Needs): Controller | readonly Controller[]
}

/** Creates a controller descriptor with the types of its flags. */
export function controllerDescriptor<F extends Flags, Needs>(given: ControllerDescriptorOptions<F, Needs>): ControllerDescriptor<Needs> {
  const { name, aliases = [], onByDefault = true, featureGate, flags, needs = [], create } = given
  const known = flags ?? ({} as F)
  return {
    name,
    aliases,
    onByDefault,
    ...(featureGate && { featureGate }),
    flags: known,
    needs,
    create: (settings, handed) => [create(settingsOf(known, settings), handed)].flat(),
  }
}

/** Finds the controller of a value of --controllers, with or without a leading "-": by its name, with or without "-controller", or by an alias. */
export function findControllerDescriptor<Entry extends Pick<ControllerDescriptor<never>, "name" | "aliases">>(
  table: readonly Entry[],
  word: string,
): Entry | undefined {
  const name = word.replace(/^-/, "")
  return table.find((entry) => entry.name === name || entry.aliases.includes(name) || entry.name === `${name}-controller`)
}

function settingsOf<F extends Flags>(flags: F, given: GivenSettings): Settings<F> {
  const values = Object.entries(flags).map(([name, flag]) => [name, name in given ? parsed(name, flag, given[name]) : flag.default])
  return Object.fromEntries(values) as Settings<F>
}

function parsed(name: string, flag: Flags[string], value: unknown): unknown {
  try {
    return flag.parse(value)
  } catch (cause) {
    throw new PilothouseError("INVALID", `--${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** One flag of a controller, named as on kube-controller-manager's command line. */
export interface Flag<T = unknown> {
  readonly default: T
  /** One sentence for --help and the reference. */
  readonly about: string
  /** The type of the value in --help: "duration", "int". */
  readonly kind: string
  /** Parses a value of a command line or of a configuration file. Throws what it expected and what it found. */
  parse(given: unknown): T
}

/** The flags of a controller, by name. */
export type Flags = Readonly<Record<string, Flag>>
/** The values of flags, by name. */
export type Settings<F extends Flags> = { readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never }

/** Returns a flag whose value is a duration in milliseconds; written as Go does: "1m30s". */
export function durationFlag(fallback: string, about: string): Flag<number> {
  return {
    default: milliseconds(fallback),
    about,
    kind: "duration",
    parse: (given) => {
      if (typeof given !== "string") throw unexpected('a duration such as "30s"', given)
      return milliseconds(given)
    },
  }
}

/** A whole number of at least `min`. */
export function countFlag(fallback: number, about: string, min = 1): Flag<number> {
  return { default: fallback, about, kind: "int", parse: (given) => checkedNumber(given, `a whole number from ${min}`, min, true) }
}

/** A flag that takes a number. */
export function numberFlag(fallback: number, about: string): Flag<number> {
  return { default: fallback, about, kind: "float", parse: (given) => checkedNumber(given, "a number from 0", 0, false) }
}

/** A flag that is on or off. */
export function switchFlag(fallback: boolean, about: string): Flag<boolean> {
  return {
    default: fallback,
    about,
    kind: "true|false",
    parse: (given) => {
      if (given === true || given === "true") return true
      if (given === false || given === "false") return false
      throw unexpected("true or false", given)
    },
  }
}

/** A flag that takes a text. */
export function textFlag(fallback: string, about: string): Flag<string> {
  return {
    default: fallback,
    about,
    kind: "string",
    parse: (given) => {
      if (typeof given === "string") return given
      throw unexpected("a text", given)
    },
  }
}

function checkedNumber(given: unknown, expected: string, min: number, whole: boolean): number {
  const number = typeof given === "string" && given.trim() !== "" ? Number(given) : given
  if (typeof number === "number" && Number.isFinite(number) && number >= min && (!whole || Number.isInteger(number))) return number
  throw unexpected(expected, given)
}

function unexpected(expected: string, found: unknown): PilothouseError {
  return new PilothouseError("INVALID", `expected ${expected}, found ${JSON.stringify(found)}`)
}
