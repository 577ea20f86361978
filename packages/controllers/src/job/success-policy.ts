import type { Job, SuccessPolicyRule } from "@pilothouse/api/batch/v1"
import { completionsOf } from "./completion-index.ts"
import { countCommon, countIndexes, parseRanges, type Ranges } from "./index-ranges.ts"

/** Why the Job has succeeded before all its indexes have; undefined when it has not. The first rule that holds decides. */
export function successPolicyMessage(job: Job, succeeded: Ranges): string | undefined {
  const rules = job.spec?.successPolicy?.rules ?? []
  const met = rules.findIndex((rule) => isMet(rule, succeeded, completionsOf(job)))
  return met === -1 ? undefined : `Matched rules at index ${met}`
}

/** All of the indexes it names, or as many of them as it counts; without names, as many as it counts of any. */
function isMet({ succeededIndexes, succeededCount }: SuccessPolicyRule, succeeded: Ranges, completions: number): boolean {
  if (succeededIndexes === undefined) return succeededCount !== undefined && countIndexes(succeeded) >= succeededCount
  const named = parseRanges(succeededIndexes, completions)
  if (named.length === 0) return false
  const common = countCommon(named, succeeded)
  return common === countIndexes(named) || (succeededCount !== undefined && common >= succeededCount)
}
