import { parseFieldSelector, parseLabelSelector } from "@pilothouse/api"
import { closest, messageOf, milliseconds, PilothouseError } from "@pilothouse/seams"

export function somePath(flag: string): (text: string) => string {
  return (text) => {
    if (text !== "") return text
    throw new PilothouseError("USAGE", `expected a path for ${flag}, found nothing`)
  }
}

export function wholeNumber(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= min && number <= max) return number
    throw new PilothouseError("USAGE", `expected a whole number from ${min} to ${max} for ${flag}, found "${text}"`)
  }
}

/** As Go reads them. */
const yes: readonly string[] = ["1", "t", "T", "TRUE", "true", "True"]
const no: readonly string[] = ["0", "f", "F", "FALSE", "false", "False"]

export function booleanValue(flag: string): (text: string) => boolean {
  return (text) => {
    if (yes.includes(text) || no.includes(text)) return yes.includes(text)
    throw new PilothouseError("USAGE", `expected true or false for ${flag}, found "${text}"`)
  }
}

/** "a,b" and the flag said twice: everything that was named. */
export function commaList(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",").map((part) => part.trim())].filter((part) => part !== "")
}

/** Go's durations, "1h0m0s", in milliseconds; zero is none, unless `zeroToo`. */
export function goDuration(flag: string, zeroToo = false): (text: string) => number {
  return (text) => {
    const found = parsedDuration(text)
    if (found !== undefined && (found > 0 || (zeroToo && found === 0))) return found
    throw new PilothouseError("USAGE", `expected a duration such as "1h0m0s" for ${flag}, found "${text}"`)
  }
}

function parsedDuration(text: string): number | undefined {
  try {
    return milliseconds(text)
  } catch {
    // Said again above, with the flag.
    return undefined
  }
}

export function labelSelector(flag: string): (text: string) => string {
  return readBy(flag, 'labels such as "app=web,tier!=cache"', parseLabelSelector)
}

export function fieldSelector(flag: string): (text: string) => string {
  return readBy(flag, 'fields such as "status.phase=Running"', parseFieldSelector)
}

/** The text as it is, if it can be read. */
export function readBy(flag: string, what: string, parse: (text: string) => unknown): (text: string) => string {
  return (text) => {
    try {
      parse(text)
      return text
    } catch (error) {
      throw new PilothouseError("USAGE", `expected ${what} for ${flag}, found "${text}": ${messageOf(error)}`)
    }
  }
}

export function httpUrl(flag: string): (text: string) => string {
  return (text) => {
    if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text
    throw new PilothouseError("USAGE", `expected a URL such as https://127.0.0.1:10257 for ${flag}, found "${text}"`)
  }
}

/** Reads a value that is one of some words, and knows them: shells offer them. */
export type WordParser<T extends string = string> = ((text: string) => T) & { readonly words: readonly T[] }

export function oneOf<T extends string>(flag: string, words: readonly T[]): WordParser<T> {
  const parse = (text: string) => {
    const found = words.find((word) => word === text)
    if (found !== undefined) return found
    throw new PilothouseError("USAGE", `expected ${eitherOf(words)} for ${flag}, found "${text}"${nearHint(text, words)}`)
  }
  return Object.assign(parse, { words })
}

/** "a, b or c" */
export function eitherOf(words: readonly string[]): string {
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(" or ")
}

/** Returns the hint that follows a value that is none of these words, where it is a slip away from one of them. */
export function nearHint(text: string, words: readonly string[]): string {
  const near = closest(text.toLowerCase(), words)
  return near === undefined ? "" : `; did you mean "${near}"?`
}
