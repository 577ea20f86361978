import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { type JobFacts, job, type PodFacts, pod } from "../testing/jobs.ts"
import { conditionsOf, play } from "../testing/play.ts"
import { failsItsIndex, failureAnnotations } from "./index-failures.ts"
import { formatRanges } from "./index-ranges.ts"
import { readIndexes } from "./indexes.ts"

const count = "batch.kubernetes.io/job-index-failure-count"
const ignored = "batch.kubernetes.io/job-index-ignored-failure-count"
const ignore3 = { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [3] } }] } as const
const failIndex3 = { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [3] } }] } as const
const failJob3 = { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [3] } }] } as const
const failed = (index: number, failures = 0, more: PodFacts = {}) => pod({ index, phase: "Failed", failures, ...more })
const succeeded = (index: number, failures = 0) => pod({ index, phase: "Succeeded", failures })
const perIndex = (facts: JobFacts = {}) =>
  job({ completionMode: "Indexed", parallelism: 2, completions: 2, backoffLimitPerIndex: 1, ...facts })

describe("whether a pod's end is the end of its index (TestIsIndexFailed, TestGetIndexFailureCount)", () => {
  test.each<[string, JobFacts, Pod, boolean]>([
    ["failed pod exceeding backoffLimitPerIndex, when backoffLimitPerIndex=0", { backoffLimitPerIndex: 0 }, failed(0), true],
    ["failed pod exceeding backoffLimitPerIndex, when backoffLimitPerIndex=1", {}, failed(0, 1), true],
    ["one more try is left", {}, failed(0, 0), false],
    ["matching FailIndex pod failure policy", { podFailurePolicy: failIndex3 }, failed(0, 0, { exitCode: 3 }), true],
    ["an ignored failure does not count", { backoffLimitPerIndex: 0, podFailurePolicy: ignore3 }, failed(0, 0, { exitCode: 3 }), false],
    ["no annotation", {}, pod({ index: 0, phase: "Failed" }), false],
    ["too large value", {}, failed(0, 2 ** 31), false],
    ["negative value", {}, failed(0, -1), false],
    ["invalid int value", {}, pod({ index: 0, phase: "Failed", annotations: { [count]: "many" } }), false],
    ["a pod that runs", { backoffLimitPerIndex: 0 }, pod({ index: 0 }), false],
  ])("%s", (_name, facts, of, expected) => {
    expect(failsItsIndex(of, perIndex(facts))).toBe(expected)
  })
})

describe("the failure count of a replacement (TestGetNewIndexFailureCountValue)", () => {
  test.each<[string, JobFacts, Pod | undefined, object]>([
    ["first pod created", {}, undefined, { [count]: "0" }],
    ["failed pod being replaced with 0 index failure count", {}, failed(0), { [count]: "1" }],
    ["failed pod being replaced with >0 index failure count", {}, failed(0, 3), { [count]: "4" }],
    [
      "failed pod being replaced, matching the ignore rule",
      { podFailurePolicy: ignore3 },
      failed(0, 3, { exitCode: 3 }),
      { [count]: "3", [ignored]: "1" },
    ],
  ])("%s", (_name, facts, replaced, expected) => {
    expect(failureAnnotations(replaced, perIndex(facts))).toEqual(expected)
  })
})

describe("failed indexes (TestCalculateFailedIndexes)", () => {
  test.each<[string, string | undefined, readonly Pod[], string]>([
    ["one new index failed", undefined, [failed(0, 0), failed(1, 1)], "1"],
    ["pod without finalizer is ignored", undefined, [failed(0, 1, { tracked: false })], ""],
    ["pod outside completions is ignored", undefined, [failed(3, 1)], ""],
    ["extend the failed indexes", "0", [failed(1, 1)], "0,1"],
    ["prev failed indexes empty", "", [failed(1, 1)], "1"],
    ["prev failed indexes outside the completions", "9", [failed(1, 1)], "1"],
  ])("%s", (_name, failedIndexes, its, expected) => {
    expect(formatRanges(readIndexes(perIndex({ status: { failedIndexes } }), its, []).failed ?? [])).toBe(expected)
  })
})

describe("failed pods that are kept for their count (TestGetPodsWithDelayedDeletionPerIndex)", () => {
  test.each<[string, readonly Pod[], readonly string[]]>([
    ["failed pods corresponding to non-failed indexes are kept", [failed(0, 0, { name: "a" }), failed(1, 1, { name: "b" })], ["a"]],
    ["failed pod without finalizer; the pod's deletion already started", [failed(0, 0, { tracked: false })], []],
    ["failed pod with index outside of completions", [failed(7)], []],
    ["failed pod for active index; it is already replaced", [failed(0), pod({ index: 0, failures: 1 })], []],
    ["failed pod for succeeded index; it is already replaced", [failed(0), succeeded(0, 1)], []],
    [
      "different failure count; only the pod with highest failure count is kept",
      [failed(0, 0, { name: "a" }), failed(0, 1, { name: "b" })],
      ["b"],
    ],
    [
      "different finish times; only the last failed pod is kept",
      [failed(0, 0, { name: "a", ended: -10 }), failed(0, 0, { name: "b", ended: -5 })],
      ["b"],
    ],
  ])("%s", (_name, its, expected) => {
    const active = its.filter(({ status }) => status?.phase === "Running")
    const { retained: kept } = readIndexes(perIndex({ backoffLimitPerIndex: expected.includes("b") ? 5 : 1 }), its, active)
    expect([...kept.values()].map(({ metadata }) => metadata.name)).toEqual(expected)
  })
})

interface Row {
  readonly name: string
  readonly job?: JobFacts
  readonly pods: readonly Pod[]
  /** active, succeeded, failed */
  readonly counts: readonly [number, number, number]
  readonly failedIndexes: string
  readonly conditions?: readonly string[]
}

const failedBy = (reason: string) => [`FailureTarget ${reason}`, `Failed ${reason}`]

describe("a Job with a limit per index (upstream's TestSyncJobWithJobBackoffLimitPerIndex)", () => {
  test.each<Row>([
    {
      name: "successful job after a single failure within index",
      pods: [failed(0), succeeded(0, 1), succeeded(1)],
      counts: [0, 2, 1],
      failedIndexes: "",
      conditions: ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"],
    },
    {
      name: "single failed pod, not counted as the replacement pod creation is delayed",
      pods: [failed(0)],
      counts: [2, 0, 0],
      failedIndexes: "",
    },
    { name: "single failed pod replaced already", pods: [failed(0), pod({ index: 0, failures: 1 })], counts: [2, 0, 1], failedIndexes: "" },
    {
      name: "replacement pod creation delayed by per-index backoff while another index runs",
      pods: [pod({ index: 0, failures: 0 }), failed(1, 0, { ended: 0 })],
      counts: [1, 0, 0],
      failedIndexes: "",
    },
    {
      name: "single failed index due to exceeding the backoff limit per index, the job continues",
      pods: [failed(0, 1)],
      counts: [1, 0, 1],
      failedIndexes: "0",
    },
    {
      name: "single failed index due to FailIndex action, the job continues",
      job: { podFailurePolicy: failIndex3 },
      pods: [failed(0, 0, { exitCode: 3 })],
      counts: [1, 0, 1],
      failedIndexes: "0",
    },
    {
      name: "job failed index due to FailJob action",
      job: { podFailurePolicy: failJob3 },
      pods: [failed(0, 0, { exitCode: 3 })],
      counts: [0, 0, 1],
      failedIndexes: "",
      conditions: failedBy("PodFailurePolicy"),
    },
    {
      name: "job pod failure ignored due to matching Ignore action",
      job: { podFailurePolicy: ignore3 },
      pods: [failed(0, 0, { exitCode: 3 })],
      counts: [2, 0, 0],
      failedIndexes: "",
    },
    {
      name: "job failed due to exceeding backoffLimit before backoffLimitPerIndex",
      job: { backoffLimit: 1, backoffLimitPerIndex: 2 },
      pods: [failed(0), failed(1)],
      counts: [0, 0, 2],
      failedIndexes: "",
      conditions: failedBy("BackoffLimitExceeded"),
    },
    {
      name: "job failed due to failed indexes",
      pods: [failed(0, 1), succeeded(1)],
      counts: [0, 1, 1],
      failedIndexes: "0",
      conditions: failedBy("FailedIndexes"),
    },
    {
      name: "job failed due to exceeding max failed indexes",
      job: { parallelism: 4, completions: 4, maxFailedIndexes: 1 },
      pods: [failed(0, 1), failed(1, 1), succeeded(2), pod({ index: 3 })],
      counts: [0, 1, 3],
      failedIndexes: "0,1",
      conditions: ["FailureTarget MaxFailedIndexesExceeded"],
    },
  ])("$name", ({ job: facts, pods, counts, failedIndexes, conditions = [] }) => {
    const { status } = play(perIndex(facts), pods)
    expect([status.active ?? 0, status.succeeded ?? 0, status.failed ?? 0]).toEqual(counts)
    expect(status.failedIndexes).toBe(failedIndexes)
    expect(conditionsOf(status)).toEqual(conditions)
  })

  test("releases the failed pod once its replacement exists", () => {
    const first = play(perIndex(), [failed(0), pod({ index: 1 })])
    expect(first).toMatchObject({ creates: 1, patches: 0 })
    expect(play(perIndex(), [failed(0), pod({ index: 1 }), pod({ index: 0, failures: 1 })])).toMatchObject({ creates: 0, patches: 1 })
  })
})

/** Upstream's TestGetPodCreationInfoForIndependentIndexes. */
describe("each index waits for itself", () => {
  const four = { parallelism: 4, completions: 4 }
  test.each<[string, readonly Pod[], readonly string[], number | undefined]>([
    ["simple index creation", [], ["0", "1", "2", "3"], undefined],
    ["subset of indexes can be recreated now", [failed(1, 0, { ended: 0 }), failed(3, 0, { ended: -2 })], ["0", "2"], 8000],
    ["the pods failed long time ago", [failed(1, 0, { ended: -20 }), failed(3, 0, { ended: -30 })], ["0", "1", "2", "3"], undefined],
    [
      "no indexes can be recreated now, need to wait default pod failure backoff",
      [0, 1, 2, 3].map((index) => failed(index, 0, { ended: 0 })),
      [],
      10_000,
    ],
    [
      "no indexes can be recreated now, need to wait but 1s already passed",
      [0, 1, 2, 3].map((index) => failed(index, 0, { ended: -1 })),
      [],
      9000,
    ],
  ])("%s", (_name, its, indexes, again) => {
    expect(play(perIndex(four), its)).toMatchObject({ indexes, again })
  })
})
