import type { SuccessPolicyRule } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { successPolicyMessage } from "./ending.ts"
import { parseRanges } from "./pods/index-ranges.ts"
import { type JobFacts, job, pod } from "./testing/jobs.ts"
import { conditionsOf, play } from "./testing/play.ts"

interface Row {
  readonly name: string
  readonly rules?: readonly SuccessPolicyRule[]
  readonly succeeded: string
  readonly met?: number
}

const rule = (succeededIndexes: string | undefined, succeededCount?: number): SuccessPolicyRule => ({ succeededIndexes, succeededCount })

describe("whether a policy is met (upstream's TestMatchSuccessPolicy)", () => {
  test.each<Row>([
    { name: "successPolicy is null", succeeded: "0" },
    { name: "any rules are nothing", rules: [], succeeded: "0" },
    { name: "rules.succeededIndexes is invalid format", rules: [rule("some-form")], succeeded: "0" },
    { name: "succeededIndexes matched rules", rules: [rule("0-2")], succeeded: "0-2,4-7", met: 0 },
    { name: "succeededIndexes didn't match rules", rules: [rule("3")], succeeded: "0-2" },
    { name: "succeededCount matched", rules: [rule(undefined, 2)], succeeded: "0-2", met: 0 },
    { name: "succeededCount didn't match", rules: [rule(undefined, 4)], succeeded: "0-2" },
    { name: "multiple rules; met one of rules", rules: [rule("9"), rule("4,6")], succeeded: "0-2,4-7", met: 1 },
    { name: "multiple rules; met all rules", rules: [rule("0,1"), rule("5")], succeeded: "0-2,4-7", met: 0 },
    { name: "indexes and count; met", rules: [rule("3-6", 2)], succeeded: "0-2,4-7", met: 0 },
    { name: "indexes and count; didn't match", rules: [rule("3-6", 2)], succeeded: "0-2,6,7" },
    { name: "succeededIndexes are nothing", rules: [rule(undefined, 4)], succeeded: "" },
    { name: "rules is proper subset", rules: [rule("2-4,6-8")], succeeded: "1-9", met: 0 },
    { name: "rules equals succeededIndexes", rules: [rule("2-4,6-9")], succeeded: "2-4,6-9", met: 0 },
    { name: "rules is subset, as far as the completions go", rules: [rule("2-4,8-12")], succeeded: "2-5,7-15", met: 0 },
    { name: "rules is an empty set", rules: [rule("")], succeeded: "1-3" },
    { name: "all elements of the rule are beyond the completions", rules: [rule("10-12,14-16")], succeeded: "1-3,5-7" },
    { name: "rules overlaps at first", rules: [rule("1-3,5-7")], succeeded: "2-4,6-8" },
    { name: "rules overlaps at first; with a count", rules: [rule("1-3,5-7", 4)], succeeded: "2-4,6-8", met: 0 },
    { name: "rules overlaps at last", rules: [rule("2-4,6-9")], succeeded: "1-3,5-7" },
    { name: "rules overlaps at last; with a count", rules: [rule("2-4,6-9", 4)], succeeded: "1-3,5-7", met: 0 },
    { name: "rules completely overlaps", rules: [rule("0-4,6-9")], succeeded: "1-3,7,8" },
    { name: "rules completely overlaps; with a count", rules: [rule("0-4,6-9", 5)], succeeded: "1-3,7,8", met: 0 },
    { name: "rules overlaps multiple at last", rules: [rule("0-4,6-9", 6)], succeeded: "0,2,4,8,9" },
    { name: "rules overlaps multiple at last; with a count", rules: [rule("0-4,6-9", 5)], succeeded: "0,2,4,8,9", met: 0 },
  ])("$name", ({ rules, succeeded, met }) => {
    const of = job({ completions: 10, completionMode: "Indexed", ...(rules && { successPolicy: { rules } }) })
    expect(successPolicyMessage(of, parseRanges(succeeded, 100))).toBe(met === undefined ? undefined : `Matched rules at index ${met}`)
  })
})

interface JobRow {
  readonly name: string
  readonly job: JobFacts
  readonly pods: readonly Pod[]
  readonly conditions: readonly string[]
  readonly counts: readonly [succeeded: number, failed: number]
}

const good = (index: number) => pod({ index, phase: "Succeeded" })
const bad = (index: number, exitCode = 1) => pod({ index, phase: "Failed", exitCode, failures: 0 })
const leader: JobFacts = {
  parallelism: 2,
  completions: 2,
  completionMode: "Indexed",
  backoffLimit: 10,
  successPolicy: { rules: [rule("0")] },
}
const failOn5 = { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [5] } }] } as const
const met = { conditions: [{ type: "SuccessCriteriaMet", status: "True", reason: "SuccessPolicy", message: "Matched rules at index 0" }] }
const target = { conditions: [{ type: "FailureTarget", status: "True", reason: "PodFailurePolicy", message: "said before" }] }
const success = ["SuccessCriteriaMet SuccessPolicy", "Complete SuccessPolicy"]

describe("a Job with a success policy (upstream's TestSyncJobWithJobSuccessPolicy)", () => {
  test.each<JobRow>([
    { name: "meets it while some indexes fail", job: leader, pods: [good(0), bad(1)], conditions: success, counts: [1, 1] },
    {
      name: "meets it, and not its pod failure policy",
      job: { ...leader, podFailurePolicy: failOn5 },
      pods: [good(0), bad(1)],
      conditions: success,
      counts: [1, 1],
    },
    {
      name: "meets it, and not its backoffLimitPerIndex",
      job: { ...leader, backoffLimitPerIndex: 2 },
      pods: [good(0), bad(1)],
      conditions: success,
      counts: [1, 1],
    },
    {
      name: "meets it while some pods are running: they are stopped, and are no failures",
      job: leader,
      pods: [good(0), pod({ index: 1 })],
      conditions: ["SuccessCriteriaMet SuccessPolicy"],
      counts: [1, 0],
    },
    {
      name: "had met it, and all pods have been removed",
      job: { ...leader, status: { ...met, completedIndexes: "0", succeeded: 1 } },
      pods: [],
      conditions: success,
      counts: [1, 0],
    },
    {
      name: "fails when it meets both its policies at once",
      job: { ...leader, podFailurePolicy: failOn5 },
      pods: [good(0), bad(1, 5)],
      conditions: ["FailureTarget PodFailurePolicy", "Failed PodFailurePolicy"],
      counts: [1, 1],
    },
    {
      name: "fails when the indexes are all decided at once",
      job: { ...leader, backoffLimitPerIndex: 0 },
      pods: [good(0), bad(1)],
      conditions: ["FailureTarget FailedIndexes", "Failed FailedIndexes"],
      counts: [1, 1],
    },
    {
      name: "fails when it meets its backoffLimit at once",
      job: { ...leader, backoffLimit: 0 },
      pods: [good(0), bad(1)],
      conditions: ["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"],
      counts: [1, 1],
    },
    {
      name: "with SuccessCriteriaMet has never been transitioned to FailureTarget and Failed",
      job: { ...leader, backoffLimit: 0, podFailurePolicy: failOn5, status: { ...met, completedIndexes: "0", succeeded: 1 } },
      pods: [bad(1, 5)],
      conditions: success,
      counts: [1, 1],
    },
    {
      name: "with FailureTarget has never been transitioned to SuccessCriteriaMet",
      job: { ...leader, podFailurePolicy: failOn5, status: target },
      pods: [good(0), bad(1, 5)],
      conditions: ["FailureTarget PodFailurePolicy", "Failed PodFailurePolicy"],
      counts: [1, 1],
    },
  ])("$name", ({ job: facts, pods, conditions, counts }) => {
    const { status } = play(job(facts), pods)
    expect(conditionsOf(status)).toEqual(conditions)
    expect([status.succeeded ?? 0, status.failed ?? 0]).toEqual(counts)
  })
})
