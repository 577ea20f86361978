import type { JobStatus } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Operation } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import type { Failures } from "./pods/backoff.ts"
import { noFailures } from "./pods/backoff.ts"
import { at, context, type JobFacts, job, noon, pod, pods } from "./testing/jobs.ts"
import { conditionsOf, play } from "./testing/play.ts"

interface Row {
  readonly name: string
  readonly job: JobFacts
  readonly pods?: readonly Pod[]
  readonly failures?: Failures
  readonly refuse?: (operation: Operation, at: number) => boolean
  readonly creates?: number
  readonly deletes?: number
  readonly patches?: number
  readonly indexes?: readonly number[]
  /** active, ready, terminating, succeeded, failed */
  readonly counts: readonly [number, number, number, number, number]
  readonly conditions?: readonly string[]
  readonly completed?: string
}

const succeeded = { phase: "Succeeded" } as const
const failed = { phase: "Failed" } as const
const ready = { ready: true } as const
const terminating = { deleting: true } as const
const complete = ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"]
const tooManyFailures = ["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"]

function refusing(...kinds: readonly string[]): (operation: Operation) => boolean {
  return (operation) => kinds.includes(operation.do)
}

function check({ job: facts, pods: its = [], ...expected }: Row): void {
  const { creates, deletes, patches, indexes, status } = play(job(facts), its, expected)
  expect({ creates, deletes, patches }).toEqual({
    creates: expected.creates ?? 0,
    deletes: expected.deletes ?? 0,
    patches: expected.patches ?? 0,
  })
  expect(countsOf(status)).toEqual(expected.counts)
  expect(conditionsOf(status)).toEqual(expected.conditions ?? [])
  expect(status.completedIndexes).toBe(expected.completed)
  if (expected.indexes !== undefined) expect(indexes.map(Number)).toEqual(expected.indexes)
}

function countsOf({
  active = 0,
  ready: readyPods = 0,
  terminating: ending = 0,
  succeeded: good = 0,
  failed: bad = 0,
}: JobStatus): readonly number[] {
  return [active, readyPods, ending, good, bad]
}

const two = { parallelism: 2, completions: 5 }
const queue = { parallelism: 2 }

describe("the number of pods", () => {
  test.each<Row>([
    { name: "job start", job: two, creates: 2, counts: [2, 0, 0, 0, 0] },
    { name: "WQ job start", job: queue, creates: 2, counts: [2, 0, 0, 0, 0] },
    { name: "pending pods", job: two, pods: pods(2, { phase: "Pending" }), counts: [2, 0, 0, 0, 0] },
    { name: "correct # of pods", job: { parallelism: 3, completions: 5 }, pods: [...pods(2, ready), pod()], counts: [3, 2, 0, 0, 0] },
    { name: "WQ job: correct # of pods", job: queue, pods: pods(2), counts: [2, 0, 0, 0, 0] },
    { name: "too few active pods", job: two, pods: [pod(), pod(succeeded)], creates: 1, patches: 1, counts: [2, 0, 0, 1, 0] },
    { name: "too few active pods with a dynamic job", job: queue, pods: [pod()], creates: 1, counts: [2, 0, 0, 0, 0] },
    { name: "too few active pods and no back-offs", job: { completions: 1 }, creates: 1, counts: [1, 0, 0, 0, 0] },
    { name: "too many active pods", job: two, pods: pods(3), deletes: 1, patches: 1, counts: [2, 0, 1, 0, 0] },
    { name: "count ready pods when too many active pods", job: two, pods: pods(3, ready), deletes: 1, patches: 1, counts: [2, 2, 1, 0, 0] },
    { name: "more active pods than parallelism", job: two, pods: pods(10), deletes: 8, patches: 8, counts: [2, 0, 8, 0, 0] },
    {
      name: "more active pods than remaining completions",
      job: { parallelism: 3, completions: 4 },
      pods: [...pods(3), ...pods(2, succeeded)],
      deletes: 1,
      patches: 3,
      counts: [2, 0, 1, 2, 0],
    },
    { name: "status change", job: two, pods: [...pods(2), ...pods(2, succeeded)], patches: 2, counts: [2, 0, 0, 2, 0] },
    { name: "new failed pod", job: two, pods: [pod(), pod(failed)], creates: 1, patches: 1, counts: [2, 0, 0, 0, 1] },
    {
      name: "no new pod; possible finalizer update of failed pod",
      job: { completions: 1, status: { active: 1, failed: 1 } },
      pods: [pod(), pod({ ...failed, tracked: false })],
      counts: [1, 0, 0, 0, 1],
    },
    {
      name: "failed + succeed pods: reset backoff delay",
      job: two,
      pods: [pod(), pod(succeeded), pod(failed)],
      creates: 1,
      patches: 2,
      counts: [2, 0, 0, 1, 1],
    },
    { name: "at most 500 are made at once", job: { parallelism: 2000, completions: 2000 }, creates: 500, counts: [500, 0, 0, 0, 0] },
    { name: "at most 500 are deleted at once", job: two, pods: pods(600), deletes: 500, patches: 500, counts: [100, 0, 500, 0, 0] },
  ])("$name", check)
})

describe("waiting after failures", () => {
  const justNow = { count: 1, last: noon }
  test.each<Row>([
    { name: "too few active pods and active back-off", job: { completions: 1 }, failures: justNow, counts: [0, 0, 0, 0, 0] },
    {
      name: "too few active pods and active back-off with running pods",
      job: { parallelism: 2, completions: 2 },
      pods: [pod(ready)],
      failures: justNow,
      counts: [1, 1, 0, 0, 0],
    },
    { name: "the wait is over", job: { completions: 1 }, failures: { count: 1, last: noon - 10_000 }, creates: 1, counts: [1, 0, 0, 0, 0] },
  ])("$name", check)

  test("requeues when the backoff is over", () => {
    expect(play(job({ completions: 1 }), [], { failures: { count: 2, last: noon - 4000 } }).again).toBe(16_000)
  })

  test("but not sooner than in a second", () => {
    expect(play(job({ completions: 1 }), [], { failures: { count: 1, last: noon - 9_700 } }).again).toBe(1000)
  })
})

describe("pods on their way out", () => {
  test.each<Row>([
    {
      name: "WQ job: recreate pods when failed",
      job: { parallelism: 1, podReplacementPolicy: "Failed" },
      pods: [pod(), pod(failed), pod(terminating)],
      patches: 1,
      counts: [1, 0, 1, 0, 1],
    },
    {
      name: "WQ job: turn on PodReplacementPolicy but not set PodReplacementPolicy",
      job: { completions: 1, podReplacementPolicy: undefined },
      pods: [pod(), pod(failed), pod(terminating)],
      patches: 2,
      counts: [1, 0, 1, 0, 2],
    },
    {
      name: "WQ job: recreate pods when terminating or failed",
      job: { parallelism: 1, podReplacementPolicy: "TerminatingOrFailed" },
      pods: [pod(), pod(failed), pod(terminating)],
      patches: 2,
      counts: [1, 0, 1, 0, 2],
    },
    {
      name: "more terminating pods than parallelism",
      job: { completions: 1, podReplacementPolicy: "Failed" },
      pods: [...pods(2), ...pods(4, terminating)],
      deletes: 1,
      patches: 1,
      counts: [1, 0, 5, 0, 0],
    },
    {
      name: "more terminating pods than parallelism; PodFailurePolicy used",
      job: { completions: 1, podFailurePolicy: { rules: [] } },
      pods: [...pods(2), ...pods(4, terminating)],
      deletes: 1,
      patches: 1,
      counts: [1, 0, 5, 0, 0],
    },
    {
      name: "a terminating pod is replaced at once where that is the policy",
      job: { completions: 1 },
      pods: [pod(terminating)],
      creates: 1,
      patches: 1,
      counts: [1, 0, 1, 0, 1],
    },
    {
      name: "a terminating pod is waited for where only failed ones are replaced",
      job: { completions: 1, podReplacementPolicy: "Failed" },
      pods: [pod(terminating)],
      counts: [0, 0, 1, 0, 0],
    },
  ])("$name", check)
})

describe("refusals of the server", () => {
  const limit = (operation: Operation, place: number) => operation.do === "create" && place >= 10
  test.each<Row>([
    {
      name: "too few active pods, with controller error",
      job: two,
      pods: [pod(), pod(succeeded)],
      refuse: refusing("create", "patch"),
      counts: [1, 0, 0, 0, 0],
    },
    { name: "too many active pods, with controller error", job: two, pods: pods(3), refuse: refusing("patch"), counts: [3, 0, 0, 0, 0] },
    {
      name: "only new failed pod with controller error",
      job: two,
      pods: [pod(), pod(failed)],
      refuse: refusing("create", "patch"),
      counts: [1, 0, 0, 0, 0],
    },
    { name: "limited pods", job: { parallelism: 100, completions: 200 }, refuse: limit, creates: 10, counts: [10, 0, 0, 0, 0] },
  ])("$name", check)

  test("records an event for a refused pod", () => {
    const { events } = play(job(two), [], { refuse: refusing("create") })
    expect(events[0]).toMatchObject({ type: "Warning", reason: "FailedCreate", message: "Error creating: the server said no" })
  })

  test("releases no pod while the status write fails, and still creates pods", () => {
    expect(play(job(two), [pod(succeeded)], { refuse: refusing("status") })).toMatchObject({ creates: 2, patches: 0, written: [] })
  })
})

describe("the end", () => {
  test.each<Row>([
    { name: "job finish", job: two, pods: pods(5, succeeded), patches: 5, counts: [0, 0, 0, 5, 0], conditions: complete },
    { name: "WQ job finishing", job: queue, pods: [pod(), pod(succeeded)], patches: 1, counts: [1, 0, 0, 1, 0] },
    { name: "WQ job all finished", job: queue, pods: pods(2, succeeded), patches: 2, counts: [0, 0, 0, 2, 0], conditions: complete },
    {
      name: "WQ job all finished despite one failure",
      job: queue,
      pods: [pod(succeeded), pod(failed)],
      patches: 2,
      counts: [0, 0, 0, 1, 1],
      conditions: complete,
    },
    {
      name: "too many job failures",
      job: { ...two, backoffLimit: 0, deleting: true },
      pods: [pod(failed)],
      patches: 1,
      counts: [0, 0, 0, 0, 1],
      conditions: tooManyFailures,
    },
    {
      name: "count ready pods when job fails",
      job: { parallelism: 2, completions: 3, backoffLimit: 0 },
      pods: [...pods(2, ready), pod(failed)],
      deletes: 2,
      patches: 3,
      counts: [0, 0, 2, 0, 3],
      conditions: ["FailureTarget BackoffLimitExceeded"],
    },
    { name: "a Job of no completions is complete at once", job: { completions: 0 }, counts: [0, 0, 0, 0, 0], conditions: complete },
  ])("$name", check)

  test("a complete Job says when, and tells people", () => {
    const { status, events } = play(job({ completions: 1 }), [pod(succeeded)])
    expect(status.completionTime).toBe(at(0))
    expect(events.map(({ reason, message }) => [reason, message])).toEqual([["Completed", "Job completed"]])
  })

  test("more successes than asked for are remarked upon", () => {
    const { events } = play(job({ completions: 1 }), pods(2, succeeded))
    expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(["Warning TooManySucceededPods", "Normal Completed"])
  })

  test("a failed Job has no completion time, and its event has the reason", () => {
    const { status, events } = play(job({ backoffLimit: 0 }), [pod(failed)])
    expect(status.completionTime).toBeUndefined()
    expect(events).toMatchObject([
      { type: "Warning", reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" },
    ])
  })
})

describe("a Job that is being deleted", () => {
  test.each<Row>([
    {
      name: "deleting job",
      job: { ...two, deleting: true },
      pods: [pod({ phase: "Pending" }), pod(), pod(succeeded)],
      patches: 3,
      counts: [2, 0, 0, 1, 0],
    },
    {
      name: "suspending a deleted job",
      job: { parallelism: 2, completions: 4, suspend: true, deleting: true },
      pods: pods(2),
      patches: 2,
      counts: [2, 0, 0, 0, 0],
    },
  ])("$name", check)
})

describe("suspension", () => {
  const four = { parallelism: 2, completions: 4 }
  const suspended: JobStatus = { conditions: [{ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }] }
  const active = { startTime: at(-60) }
  test.each<Row>([
    {
      name: "suspending a job with satisfied expectations",
      job: { ...four, suspend: true, status: active },
      pods: pods(2),
      deletes: 2,
      patches: 2,
      counts: [0, 0, 2, 0, 0],
      conditions: ["Suspended JobSuspended"],
    },
    {
      name: "count ready pods when suspending a job with satisfied expectations",
      job: { ...four, suspend: true, status: active },
      pods: pods(2, ready),
      deletes: 2,
      patches: 2,
      counts: [0, 0, 2, 0, 0],
      conditions: ["Suspended JobSuspended"],
    },
    {
      name: "resuming a suspended job",
      job: { ...four, status: suspended },
      creates: 2,
      counts: [2, 0, 0, 0, 0],
      conditions: ["Suspended=False JobResumed"],
    },
    { name: "a Job that was never suspended has no such condition", job: four, creates: 2, counts: [2, 0, 0, 0, 0] },
    {
      name: "a Job that is suspended from the start",
      job: { ...four, suspend: true },
      counts: [0, 0, 0, 0, 0],
      conditions: ["Suspended JobSuspended"],
    },
    {
      name: "a Job with all its completions is complete, suspended or not",
      job: { completions: 1, suspend: true },
      pods: [pod(succeeded)],
      patches: 1,
      counts: [0, 0, 0, 1, 0],
      conditions: complete,
    },
  ])("$name", check)

  test.each([
    ["is not set while it is suspended", { suspend: true }, undefined],
    ["goes when it is suspended", { suspend: true, status: active }, undefined],
    ["is set when it is not", {}, at(0)],
    ["restarts when it is resumed", { status: { ...suspended, ...active } }, at(0)],
    ["stays otherwise", { status: active }, at(-60)],
  ] as const)("the start time %s", (_name, facts, expected) => {
    expect(play(job({ completions: 1, ...facts }), []).status.startTime).toBe(expected)
  })

  test("records an event for both, once", () => {
    const told = (facts: JobFacts) => play(job(facts), []).events.filter(({ reason }) => reason !== "SuccessfulCreate")
    expect(told({ suspend: true })).toMatchObject([{ type: "Normal", reason: "Suspended", message: "Job suspended" }])
    expect(told({ suspend: true, status: suspended })).toEqual([])
    expect(told({ status: suspended })).toMatchObject([{ type: "Normal", reason: "Resumed", message: "Job resumed" }])
  })
})

describe("conditions that another client wrote", () => {
  const manual = (type: string): JobStatus => ({
    active: 1,
    ready: 1,
    startTime: at(-60),
    conditions: [{ type, status: "False", reason: "ConditionAddedManually", message: "Testing" }],
  })
  test.each([
    ["FailureTarget=False condition added manually is ignored", "FailureTarget"],
    ["SuccessCriteriaMet=False condition added manually is ignored", "SuccessCriteriaMet"],
  ])("%s", (_name, type) => {
    const { status, deletes } = play(job({ completions: 1, backoffLimit: 0, status: manual(type) }), [pod(ready)])
    expect(deletes).toBe(0)
    expect(conditionsOf(status)).toEqual([`${type}=False ConditionAddedManually`])
  })
})

test("nothing is written when nothing has changed", () => {
  const first = play(job(two), [pod(ready), pod()]).status
  expect(play(job({ ...two, status: first }), [pod(ready), pod()]).written).toEqual([])
})

test("an unknown completion mode is let be, and told", () => {
  const odd = job({ completionMode: "Sorted" as "Indexed" })
  const plan = decide({ orphans: [], work: { job: odd, pods: [], claims: [], failures: noFailures } }, context)
  expect(plan.steps).toEqual([])
  expect(plan.events).toMatchObject([
    { type: "Warning", reason: "UnknownCompletionMode", message: "Skipped Job sync because completion mode is unknown" },
  ])
})

test("pods are made slowly at first", () => {
  const observed = { orphans: [], work: { job: job(two), pods: [], claims: [], failures: noFailures } }
  expect(decide(observed, context).steps).toMatchObject([{ slowStart: true }])
})
