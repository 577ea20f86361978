import { exactNumber } from "@pilothouse/seams"

/** What a scalar can mean. */
export type Scalar = string | number | bigint | boolean | null

const nulls: ReadonlySet<string> = new Set(["", "~", "null", "Null", "NULL"])
const yes: ReadonlySet<string> = new Set(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"])
const no: ReadonlySet<string> = new Set(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"])
const infinite = /^([-+]?)\.(?:inf|Inf|INF)$/
const notNumbers: ReadonlySet<string> = new Set([".nan", ".NaN", ".NAN"])
const float = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/

/** Returns the value of a scalar without quotes or tag as Go's YAML library reads it, which is more of YAML 1.1 than of 1.2: "on" is true, 017 is fifteen. A time is a text. */
export function plainScalar(text: string): Scalar {
  if (nulls.has(text)) return null
  if (yes.has(text)) return true
  if (no.has(text)) return false
  return numberOf(text) ?? text
}

/** Returns the value of a scalar with a tag, which has "!!" in front; any other tag changes nothing. */
export function taggedScalar(tag: string, text: string): Scalar {
  switch (tag) {
    case "tag:yaml.org,2002:int":
    case "tag:yaml.org,2002:float":
      return numberOf(text) ?? text
    case "tag:yaml.org,2002:bool":
    case "tag:yaml.org,2002:null":
      return plainScalar(text)
    default:
      return text
  }
}

function numberOf(text: string): number | bigint | undefined {
  if (!/^[-+.\d]/.test(text)) return undefined
  const sign = infinite.exec(text)?.[1]
  if (sign !== undefined) return sign === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (notNumbers.has(text)) return Number.NaN
  const digits = text.replaceAll("_", "")
  const whole = wholeNumber(digits)
  if (whole !== undefined) return whole
  const number = float.test(digits) ? Number(digits) : Number.NaN
  // A number that is too large for Go is no number.
  return Number.isFinite(number) ? number : undefined
}

/** In the bases that Go's literals have, of up to 64 bits: a longer decimal is a float, and anything else that is longer a text. */
function wholeNumber(text: string): number | bigint | undefined {
  const [, sign = "", digits = ""] = /^([-+]?)(.*)$/.exec(text) ?? []
  const [, base = "", rest = ""] = /^0([xXoObB]?)(.+)$/.exec(digits) ?? []
  const literal = base === "" ? decimalOrOctal(digits, rest) : inBase(base, rest)
  const number = Number(literal)
  if (Number.isNaN(number)) return undefined
  if (Number.isSafeInteger(number)) return sign === "-" ? 0 - number : number
  const wide = number < 2 ** 65 ? BigInt(literal!) : 2n ** 65n
  if (sign === "-") return wide <= 2n ** 63n ? exactNumber(-wide) : undefined
  // Beyond int64 it is not in the form of a number here: it is there to be refused in full, as Go reads it for an unsigned one.
  return wide < 2n ** 64n ? wide : undefined
}

/** A literal of JavaScript. */
function decimalOrOctal(digits: string, afterZero: string): string | undefined {
  if (/^[0-7]+$/.test(afterZero)) return `0o${afterZero}`
  return /^(?:0|[1-9]\d*)$/.test(digits) ? digits : undefined
}

function inBase(letter: string, digits: string): string | undefined {
  return /^[-+]/.test(digits) ? undefined : `0${letter.toLowerCase()}${digits}`
}
