import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { type JobFacts, job, type PodFacts, pod } from "./testing/jobs.ts"
import { conditionsOf, play } from "./testing/play.ts"

interface Row {
  readonly name: string
  readonly job: JobFacts
  readonly pods?: readonly Pod[]
  readonly indexes?: readonly number[]
  readonly deletes?: number
  readonly patches?: number
  /** active, terminating, succeeded, failed */
  readonly counts: readonly [number, number, number, number]
  readonly completed?: string
  readonly conditions?: readonly string[]
}

function check({ job: facts, pods = [], ...expected }: Row): void {
  const { indexes, deletes, patches, status } = play(job({ completionMode: "Indexed", ...facts }), pods)
  expect({ indexes: indexes.map(Number), deletes, patches }).toEqual({
    indexes: expected.indexes ?? [],
    deletes: expected.deletes ?? 0,
    patches: expected.patches ?? 0,
  })
  expect([status.active ?? 0, status.terminating, status.succeeded ?? 0, status.failed ?? 0]).toEqual(expected.counts)
  expect(status.completedIndexes).toBe(expected.completed)
  expect(conditionsOf(status)).toEqual(expected.conditions ?? [])
}

type Phase = NonNullable<PodFacts["phase"]>
const at = (index: number | string, phase: Phase = "Running", more: PodFacts = {}) => pod({ index, phase, ...more })
const complete = ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"]
const five = { parallelism: 2, completions: 5 }

describe("an Indexed Job", () => {
  test.each<Row>([
    { name: "indexed job start", job: five, indexes: [0, 1], counts: [2, 0, 0, 0] },
    {
      name: "indexed job with some pods deleted, podReplacementPolicy Failed",
      job: { ...five, podReplacementPolicy: "Failed" },
      pods: [at(0, "Running", { deleting: true })],
      indexes: [1],
      counts: [1, 1, 0, 0],
    },
    {
      name: "indexed job with some pods deleted, podReplacementPolicy TerminatingOrFailed",
      job: five,
      pods: [at(0, "Running", { deleting: true })],
      indexes: [0, 1],
      patches: 1,
      counts: [2, 1, 0, 1],
    },
    {
      name: "indexed job completed",
      job: { parallelism: 2, completions: 3 },
      pods: [at(0, "Succeeded"), at(1, "Failed"), at(1, "Succeeded"), at(2, "Succeeded")],
      patches: 4,
      counts: [0, 0, 3, 1],
      completed: "0-2",
      conditions: complete,
    },
    {
      name: "indexed job failed; backoff limit exceeded",
      job: { parallelism: 2, completions: 3, backoffLimit: 0 },
      pods: [at(0, "Succeeded"), at(1, "Failed"), at(2)],
      deletes: 1,
      patches: 3,
      counts: [0, 1, 1, 2],
      completed: "0",
      conditions: ["FailureTarget BackoffLimitExceeded"],
    },
    {
      name: "indexed job repeated completed index",
      job: { parallelism: 2, completions: 3 },
      pods: [at(0, "Succeeded"), at(1, "Succeeded"), at(1, "Succeeded")],
      indexes: [2],
      patches: 3,
      counts: [1, 0, 2, 0],
      completed: "0,1",
    },
    {
      name: "indexed job some running and completed pods",
      job: { parallelism: 8, completions: 20 },
      pods: [at(0), at(2, "Succeeded"), at(3, "Pending"), ...[4, 5, 7, 8, 9].map((index) => at(index, "Succeeded"))],
      indexes: [1, 6, 10, 11, 12, 13],
      patches: 6,
      counts: [8, 0, 6, 0],
      completed: "2,4,5,7-9",
    },
    {
      name: "indexed job some failed pods",
      job: { parallelism: 3, completions: 4 },
      pods: [at(0, "Failed"), at(1, "Pending"), at(2, "Failed")],
      indexes: [0, 2],
      patches: 2,
      counts: [3, 0, 0, 2],
    },
    {
      name: "indexed job some pods without index",
      job: five,
      pods: [
        pod(),
        pod({ phase: "Succeeded" }),
        pod({ phase: "Failed" }),
        at("none"),
        at("none", "Succeeded"),
        at("none", "Failed"),
        at("-1", "Pending"),
        at(0, "Succeeded"),
        at(1),
        at(2),
      ],
      deletes: 3,
      patches: 8,
      counts: [2, 3, 1, 0],
      completed: "0",
    },
    {
      name: "indexed job repeated indexes",
      job: { parallelism: 5, completions: 5 },
      pods: [pod({ phase: "Succeeded" }), pod({ phase: "Failed" }), at("none"), at(0, "Succeeded"), at(1), at(2), at(2, "Pending")],
      deletes: 2,
      patches: 5,
      counts: [2, 2, 1, 0],
      completed: "0",
    },
    {
      name: "indexed job with indexes outside of range",
      job: five,
      pods: [at(0, "Succeeded"), at(5), at(6, "Succeeded"), at(7, "Pending"), at(8, "Failed")],
      deletes: 2,
      patches: 5,
      counts: [0, 2, 1, 0],
      completed: "0",
    },
    {
      name: "a Job that was made smaller loses what lies beyond",
      job: { parallelism: 2, completions: 2, status: { succeeded: 2, completedIndexes: "1,3" } },
      pods: [at(0), at(2)],
      deletes: 1,
      patches: 1,
      counts: [1, 1, 1, 0],
      completed: "1",
    },
  ])("$name", check)

  test("of two pods of an index the one that has come further stays", () => {
    const pods = [at(0, "Running", { name: "far", ready: true }), at(0, "Running", { name: "near" }), at(0, "Pending", { name: "new" })]
    const { operations } = play(job({ completionMode: "Indexed", completions: 1 }), pods)
    const deleted = operations.flatMap((operation) => (operation.do === "delete" ? [operation.object.metadata.name] : []))
    expect(deleted).toEqual(["new", "near"])
  })

  test("a completed index costs one write of the status, as the index itself is the note", () => {
    const { operations } = play(job({ completionMode: "Indexed", ...five }), [at(0, "Succeeded"), at(1)])
    expect(operations.map((operation) => operation.do)).toEqual(["create", "status", "patch"])
  })
})
