import { unitCost } from "../../cost/cost-rule.ts"
import type { Library } from "../../environment/environment.ts"
import { defineOverloads } from "../../environment/overload.ts"
import { opaqueType } from "../../types/types.ts"
import { int, parseUint64 } from "../../values/integers.ts"
import { EvaluationError, fail, InternalError, Opaque, type Value } from "../../values/value.ts"
import { parseCost } from "./costs.ts"

const semverType = opaqueType("kubernetes.Semver")

/** A part of a pre-release. */
type PreRelease = bigint | string

/** A semantic version. Build metadata does not count in comparisons. */
class Semver extends Opaque {
  readonly type = semverType
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly preRelease: readonly PreRelease[]

  constructor(numbers: readonly [bigint, bigint, bigint], preRelease: readonly PreRelease[]) {
    super()
    this.numbers = numbers
    this.preRelease = preRelease
  }

  override get keyText(): never {
    throw new InternalError("runtime error: hash of unhashable type cel.Semver")
  }

  equals(other: Opaque): boolean {
    return other instanceof Semver && this.compare(other) === 0
  }

  compare(other: Semver): number {
    for (const [index, number] of this.numbers.entries()) {
      const difference = order(number, other.numbers[index] as bigint)
      if (difference !== 0) return difference
    }
    return comparePreReleases(this.preRelease, other.preRelease)
  }
}

/** A version without a pre-release is after those with one; a longer list of equal parts is after a shorter one. */
function comparePreReleases(left: readonly PreRelease[], right: readonly PreRelease[]): number {
  if (left.length === 0 || right.length === 0) return order(right.length, left.length)
  for (const [index, part] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    const difference = compareParts(part, other)
    if (difference !== 0) return difference
  }
  return order(left.length, right.length)
}

/** Numbers are before words. */
function compareParts(left: PreRelease, right: PreRelease): number {
  if (typeof left === typeof right) return order(left, right)
  return typeof left === "bigint" ? -1 : 1
}

function order<T extends number | PreRelease>(left: T, right: T): number {
  if (left < right) return -1
  return left > right ? 1 : 0
}

/** Why a text is no version, in upstream's words. */
class SemverFault {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** Parses a version; throws a SemverFault for a text that is none. */
function parse(text: string): Semver {
  if (text === "") throw new SemverFault("Version string empty")
  const [major, minor, ...others] = text.split(".")
  if (major === undefined || minor === undefined || others.length === 0) throw new SemverFault("No Major.Minor.Patch elements found")
  const [withoutBuild, build] = splitOnce(others.join("."), "+")
  const [patch, preRelease] = splitOnce(withoutBuild, "-")
  const numbers = [readNumber(major, "Major"), readNumber(minor, "Minor"), readNumber(patch, "Patch")] as const
  const parts = preRelease?.split(".").map(readPreRelease) ?? []
  build?.split(".").forEach(checkBuild)
  return new Semver(numbers, parts)
}

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function readNumber(text: string, word: string): bigint {
  if (!/^[0-9]*$/.test(text)) throw new SemverFault(`Invalid character(s) found in ${word.toLowerCase()} number ${JSON.stringify(text)}`)
  if (/^0[0-9]/.test(text)) throw new SemverFault(`${word} number must not contain leading zeroes ${JSON.stringify(text)}`)
  return readUint(text)
}

function readUint(digits: string): bigint {
  const fault = digits === "" ? "invalid syntax" : "value out of range"
  const value = parseUint64(digits)
  if (value === undefined) throw new SemverFault(`strconv.ParseUint: parsing ${JSON.stringify(digits)}: ${fault}`)
  return value
}

function readPreRelease(part: string): PreRelease {
  if (part === "") throw new SemverFault("Prerelease is empty")
  if (/^0[0-9]+$/.test(part)) throw new SemverFault(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`)
  if (/^[0-9]+$/.test(part)) return readUint(part)
  if (!/^[0-9A-Za-z-]+$/.test(part)) throw new SemverFault(`Invalid character(s) found in prerelease ${JSON.stringify(part)}`)
  return part
}

function checkBuild(part: string): void {
  if (part === "") throw new SemverFault("Build meta data is empty")
  if (!/^[0-9A-Za-z-]+$/.test(part)) throw new SemverFault(`Invalid character(s) found in build meta data ${JSON.stringify(part)}`)
}

/** Drops a leading `v` and leading zeros, and adds minor and patch numbers that are missing. */
function parseNormalized(text: string): Semver {
  const [major = "", minor, ...rest] = text.replace(/^v/, "").split(".")
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join(".")])]
  const trimmed = parts.map(withoutLeadingZeros)
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? ""))
    throw new SemverFault("short version cannot contain PreRelease/Build meta data")
  return parse([...trimmed, "0", "0"].slice(0, 3).join("."))
}

/** A number keeps a digit, and what begins with no digit gets one. A single character stays as it is. */
function withoutLeadingZeros(part: string): string {
  if (part.length < 2) return part
  let start = 0
  while (part[start] === "0") start++
  return `${/[0-9]/.test(part[start] ?? "") ? "" : "0"}${part.slice(start)}`
}

/** Returns the version of a text; fails the evaluation where it is none. */
export function semver(text: string, normalize = false): Semver {
  try {
    return normalize ? parseNormalized(text) : parse(text)
  } catch (thrown) {
    if (thrown instanceof SemverFault) return fail(thrown.message)
    throw thrown
  }
}

function isSemver(text: string, normalize = false): boolean {
  try {
    semver(text, normalize)
    return true
  } catch (thrown) {
    if (thrown instanceof EvaluationError) return false
    throw thrown
  }
}

/** Returns a number of a version as an int: upstream lets those beyond wrap around. */
function asInt(number: bigint): Value {
  return int(BigInt.asIntN(64, number))
}

/** Kubernetes' semantic versions: `semver('1.2.3')`. */
export const semverLibrary: Library = {
  name: "kubernetes.Semver",
  overloads: defineOverloads([
    {
      id: "string_to_semver",
      name: "semver",
      function: "(string) -> kubernetes.Semver",
      evaluate: semver,
      cost: parseCost,
      example: "semver('1.2.3+a') == semver('1.2.3+b')",
      failure: ["semver('1.2')", "No Major.Minor.Patch elements found"],
    },
    {
      id: "string_bool_to_semver",
      name: "semver",
      function: "(string, bool) -> kubernetes.Semver",
      evaluate: semver,
      cost: parseCost,
      example: "semver('v01.2', true) == semver('1.2.0')",
    },
    {
      id: "is_semver_string",
      name: "isSemver",
      function: "(string) -> bool",
      evaluate: isSemver,
      cost: parseCost,
      example: "isSemver('1.2.3-alpha.1') && !isSemver('v1.2.3')",
    },
    {
      id: "is_semver_string_bool",
      name: "isSemver",
      function: "(string, bool) -> bool",
      evaluate: isSemver,
      cost: parseCost,
      example: "isSemver('v1', true) && !isSemver('v1', false)",
    },
    {
      id: "semver_is_greater_than",
      name: "isGreaterThan",
      method: "(kubernetes.Semver, kubernetes.Semver) -> bool",
      evaluate: (left: Semver, right: Semver) => left.compare(right) === 1,
      cost: unitCost,
      example: "semver('1.10.0').isGreaterThan(semver('1.9.0'))",
    },
    {
      id: "semver_is_less_than",
      name: "isLessThan",
      method: "(kubernetes.Semver, kubernetes.Semver) -> bool",
      evaluate: (left: Semver, right: Semver) => left.compare(right) === -1,
      cost: unitCost,
      example: "semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))",
    },
    {
      id: "semver_compare_to",
      name: "compareTo",
      method: "(kubernetes.Semver, kubernetes.Semver) -> int",
      evaluate: (left: Semver, right: Semver) => left.compare(right),
      cost: unitCost,
      example: "semver('1.0.0-alpha.2').compareTo(semver('1.0.0-alpha.10')) == -1",
    },
    {
      id: "semver_major",
      name: "major",
      method: "(kubernetes.Semver) -> int",
      evaluate: ({ numbers }: Semver) => asInt(numbers[0]),
      cost: unitCost,
      example: "semver('1.2.3').major() == 1",
    },
    {
      id: "semver_minor",
      name: "minor",
      method: "(kubernetes.Semver) -> int",
      evaluate: ({ numbers }: Semver) => asInt(numbers[1]),
      cost: unitCost,
      example: "semver('1.2.3').minor() == 2",
    },
    {
      id: "semver_patch",
      name: "patch",
      method: "(kubernetes.Semver) -> int",
      evaluate: ({ numbers }: Semver) => asInt(numbers[2]),
      cost: unitCost,
      example: "semver('1.2.3').patch() == 3",
    },
  ]),
}
