import type { Finding, Rule } from "../house/rule.ts"
import type { Module } from "../house/tree/module.ts"
import { isOwnSource } from "../house/tree/place.ts"
import type { Exemption } from "./exemptions.ts"
import { type Pattern, patternsIn } from "./patterns.ts"
import type { Verdict } from "./verdict.ts"

/** Every regular expression of the published sources is proven linear, or stands in the one list with its reason. */
export function linearPatterns(exemptions: readonly Exemption[], verdictOf: (source: string, flags: string) => Verdict): Rule {
  return {
    name: "regex",
    check({ modules }) {
      const patterns = modules.filter(({ path }) => isOwnSource(path)).flatMap((module: Module) => patternsIn(module))
      const faulty = patterns.flatMap((pattern) => faultOf(pattern, verdictOf))
      const isExempt = ({ pattern }: Fault) => exemptions.some((exemption) => names(exemption, pattern))
      return [...faulty.filter((fault) => !isExempt(fault)).map(findingOf), ...unused(exemptions, faulty)]
    },
  }
}

interface Fault {
  readonly pattern: Pattern
  readonly found: string
}

function faultOf(pattern: Pattern, verdictOf: (source: string, flags: string) => Verdict): Fault[] {
  if (pattern.source === undefined) return [{ pattern, found: "one that is put together at run time" }]
  const { status, growth, attack } = verdictOf(pattern.source, pattern.flags)
  if (status === "linear") return []
  const example = attack === "" ? "" : ` for ${attack}`
  return [{ pattern, found: status === "superlinear" ? `${growth} time${example}` : `no proof (${growth})` }]
}

function names(exemption: Exemption, { file, written }: Pattern): boolean {
  return exemption.file === file && exemption.written === written
}

function findingOf({ pattern, found }: Fault): Finding {
  return {
    file: pattern.file,
    line: pattern.line,
    expected: `${pattern.written} to take linear time`,
    found,
    fix: "make its parts exclusive, anchor it, or scan by hand; one that never meets outside input goes into tools/check/regex/exemptions.ts with its reason",
  }
}

function unused(exemptions: readonly Exemption[], faults: readonly Fault[]): Finding[] {
  return exemptions
    .filter((exemption) => !faults.some(({ pattern }) => names(exemption, pattern)))
    .map(({ file, written }) => ({
      file: "tools/check/regex/exemptions.ts",
      line: 1,
      expected: "every exemption to be needed",
      found: `no unproven ${written} in ${file}`,
      fix: "remove it from the list",
    }))
}
