import { milliseconds, PilothouseError } from "@pilothouse/seams"

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

/** In milliseconds; written as Go does: "1m30s". */
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

/** A whole number of at least `least`. */
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
