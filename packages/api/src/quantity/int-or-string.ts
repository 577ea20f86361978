import { PilothouseError } from "@pilothouse/seams"
import { quoted } from "../text/quoted.ts"
import type { IntOrString } from "./scalars.ts"

/**
 * How many of a total: 3 is 3, "25%" of 10 is 3 rounded up and 2 rounded down.
 * Kubernetes rounds maxSurge up and maxUnavailable down, so that a rollout always can move and never takes more than it may.
 */
export function scaledIntOrPercent(value: IntOrString, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value
  const share = (percentOf(value) * total) / 100
  return rounding === "up" ? Math.ceil(share) : Math.floor(share)
}

/** Reports whether an IntOrString is a percentage such as "25%". */
export function isPercent(value: IntOrString): value is string {
  return typeof value === "string" && /^[0-9]+%$/.test(value)
}

function percentOf(value: string): number {
  if (!value.endsWith("%")) throw refuse("invalid type: string is not a percentage")
  const digits = value.slice(0, -1)
  if (!/^[+-]?[0-9]+$/.test(digits)) throw refuse(`invalid value ${quoted(value)}: strconv.Atoi: parsing ${quoted(digits)}: invalid syntax`)
  const whole = BigInt(digits.replace("+", ""))
  if (BigInt.asIntN(64, whole) !== whole) {
    throw refuse(`invalid value ${quoted(value)}: strconv.Atoi: parsing ${quoted(digits)}: value out of range`)
  }
  return Number(whole)
}

function refuse(why: string): PilothouseError {
  return new PilothouseError("INVALID", `invalid value for IntOrString: ${why}`)
}

/** A command line's text: "80" is the number 80, "http" and "25%" stay texts. */
export function parseIntOrString(text: string): IntOrString {
  if (!/^[+-]?[0-9]+$/.test(text)) return text
  const value = Number(text)
  return value >= -(2 ** 31) && value < 2 ** 31 ? value + 0 : text
}
