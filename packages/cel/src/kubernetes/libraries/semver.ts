import { unitCost } from "../../cost/cost-rule.ts"
import type { Library } from "../../environment/environment.ts"
import { defineOverloads } from "../../environment/overload.ts"
import { opaqueType } from "../../types/types.ts"
import { int } from "../../values/integers.ts"
import { fail, InternalError, Opaque } from "../../values/value.ts"
import { parseCost } from "./costs.ts"

const semverType = opaqueType("kubernetes.Semver")

/** A semantic version. Build metadata does not count in comparisons. */
class Semver extends Opaque {
  readonly type = semverType
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly preRelease: readonly string[]

  constructor(numbers: readonly [bigint, bigint, bigint], preRelease: readonly string[]) {
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
function comparePreReleases(left: readonly string[], right: readonly string[]): number {
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
function compareParts(left: string, right: string): number {
  const [leftNumber, rightNumber] = [/^[0-9]+$/.test(left), /^[0-9]+$/.test(right)]
  if (leftNumber && rightNumber) return order(BigInt(left), BigInt(right))
  if (leftNumber !== rightNumber) return leftNumber ? -1 : 1
  return order(left, right)
}

function order<T extends number | bigint | string>(left: T, right: T): number {
  if (left < right) return -1
  return left > right ? 1 : 0
}

const words = ["Major", "Minor", "Patch"]

/** Parses a version; returns upstream's words for a text that is none. */
function parse(text: string): Semver | string {
  if (text === "") return "Version string empty"
  const [beforeBuild = "", ...build] = text.split("+")
  const dash = beforeBuild.indexOf("-")
  const [core, preRelease] = dash < 0 ? [beforeBuild, undefined] : [beforeBuild.slice(0, dash), beforeBuild.slice(dash + 1)]
  const parts = core.split(".")
  if (parts.length < 3) return "No Major.Minor.Patch elements found"
  const numbers = [parts[0] as string, parts[1] as string, parts.slice(2).join(".")]
  const fault = numbers.map((number, index) => faultOfNumber(number, words[index] as string)).find((found) => found !== undefined)
  if (fault !== undefined) return fault
  const labels = [
    ...(preRelease === undefined ? [] : preRelease.split(".").map((part) => faultOfPreRelease(part))),
    ...build
      .join("+")
      .split(".")
      .map((part) => (build.length > 0 ? faultOfBuild(part) : undefined)),
  ]
  return labels.find((found) => found !== undefined) ?? new Semver(numbers.map(BigInt) as never, preRelease?.split(".") ?? [])
}

function faultOfNumber(text: string, word: string): string | undefined {
  if (!/^[0-9]+$/.test(text)) return `Invalid character(s) found in ${word.toLowerCase()} number ${JSON.stringify(text)}`
  return /^0[0-9]/.test(text) ? `${word} number must not contain leading zeroes ${JSON.stringify(text)}` : undefined
}

function faultOfPreRelease(part: string): string | undefined {
  if (part === "") return "Prerelease is empty"
  if (/^0[0-9]+$/.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`
  return /^[0-9A-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in prerelease ${JSON.stringify(part)}`
}

function faultOfBuild(part: string): string | undefined {
  if (part === "") return "Build meta data is empty"
  return /^[0-9A-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in build meta data ${JSON.stringify(part)}`
}

/** Drops a leading `v` and leading zeros, and adds minor and patch numbers that are missing. */
function parseNormalized(text: string): Semver | string {
  const [major = "", minor, ...rest] = text.replace(/^v/, "").split(".")
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join(".")])]
  const trimmed = parts.map(withoutLeadingZeros)
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? "")) return "short version cannot contain PreRelease/Build meta data"
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
  const version = normalize ? parseNormalized(text) : parse(text)
  return typeof version === "string" ? fail(version) : version
}

function isSemver(text: string, normalize = false): boolean {
  return typeof (normalize ? parseNormalized(text) : parse(text)) !== "string"
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
      evaluate: ({ numbers }: Semver) => int(numbers[0]),
      cost: unitCost,
      example: "semver('1.2.3').major() == 1",
    },
    {
      id: "semver_minor",
      name: "minor",
      method: "(kubernetes.Semver) -> int",
      evaluate: ({ numbers }: Semver) => int(numbers[1]),
      cost: unitCost,
      example: "semver('1.2.3').minor() == 2",
    },
    {
      id: "semver_patch",
      name: "patch",
      method: "(kubernetes.Semver) -> int",
      evaluate: ({ numbers }: Semver) => int(numbers[2]),
      cost: unitCost,
      example: "semver('1.2.3').patch() == 3",
    },
  ]),
}
