import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { at, type JobFacts, job, pod, pods } from "./testing/jobs.ts"
import { conditionsOf, play } from "./testing/play.ts"

interface Row {
  readonly name: string
  readonly job: JobFacts
  readonly pods?: readonly Pod[]
  readonly deletes?: number
  /** active, succeeded, failed */
  readonly counts: readonly [number, number, number]
  readonly conditions?: readonly string[]
}

const deadline = ["FailureTarget DeadlineExceeded", "Failed DeadlineExceeded"]
const limit = ["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"]
const failed = { phase: "Failed" } as const
const started = (secondsAgo: number) => ({ startTime: at(-secondsAgo) })

function check({ job: facts, pods: its = [], deletes = 0, counts, conditions = [] }: Row): void {
  const played = play(job(facts), its)
  expect(played.deletes).toBe(deletes)
  expect([played.status.active ?? 0, played.status.succeeded ?? 0, played.status.failed ?? 0]).toEqual(counts)
  expect(conditionsOf(played.status)).toEqual(conditions)
}

describe("the deadline (upstream's TestSyncJobPastDeadline)", () => {
  test.each<Row>([
    {
      name: "activeDeadlineSeconds less than single pod execution",
      job: { completions: 1, activeDeadlineSeconds: 10, status: started(15) },
      pods: [pod()],
      deletes: 1,
      counts: [0, 0, 1],
      conditions: deadline.slice(0, 1),
    },
    {
      name: "activeDeadlineSeconds bigger than single pod execution",
      job: { completions: 2, activeDeadlineSeconds: 10, status: started(15) },
      pods: [pod(), pod({ phase: "Succeeded" })],
      deletes: 1,
      counts: [0, 1, 1],
      conditions: deadline.slice(0, 1),
    },
    {
      name: "activeDeadlineSeconds times-out before any pod starts",
      job: { completions: 1, activeDeadlineSeconds: 10, status: started(10) },
      counts: [0, 0, 0],
      conditions: deadline,
    },
    {
      name: "activeDeadlineSeconds with backofflimit reach",
      job: { completions: 1, activeDeadlineSeconds: 1, backoffLimit: 0, status: started(10) },
      pods: [pod(failed)],
      counts: [0, 0, 1],
      conditions: limit,
    },
    {
      name: "activeDeadlineSeconds is not triggered when Job is suspended",
      job: { completions: 2, activeDeadlineSeconds: 10, suspend: true, status: started(15) },
      counts: [0, 0, 0],
      conditions: ["Suspended JobSuspended"],
    },
    {
      name: "the deadline is still to come",
      job: { completions: 1, activeDeadlineSeconds: 20, status: started(15) },
      pods: [pod()],
      counts: [1, 0, 0],
    },
  ])("$name", check)

  test.each<[string, JobFacts, number | undefined]>([
    ["requeues at the deadline", { activeDeadlineSeconds: 20, status: started(15) }, 5000],
    ["a Job that starts now has all its time", { activeDeadlineSeconds: 20 }, 20_000],
    ["a suspended Job has no deadline", { activeDeadlineSeconds: 20, suspend: true }, undefined],
    ["nor has one that ends already", { activeDeadlineSeconds: 20, backoffLimit: -1, status: started(15) }, undefined],
  ])("%s", (_name, facts, again) => {
    expect(play(job({ completions: 1, ...facts }), [pod()]).again).toBe(again)
  })

  test("requeues at the sooner of deadline and backoff", () => {
    const facts = { completions: 1, activeDeadlineSeconds: 20, status: started(15) }
    expect(play(job(facts), [], { failures: { count: 1, last: Date.parse(at(0)) } }).again).toBe(5000)
  })
})

describe("restarts in place (upstream's TestJobBackoffForOnFailure)", () => {
  const restarted = (restarts: number, phase: "Running" | "Pending" = "Running") => pod({ restarts, phase })
  const target = limit.slice(0, 1)
  const facts = (backoffLimit: number, parallelism = 1): JobFacts => ({
    restartPolicy: "OnFailure",
    completions: parallelism,
    parallelism,
    backoffLimit,
  })
  test.each<Row>([
    { name: "backoffLimit 0 should have 1 pod active", job: facts(0), pods: [restarted(0)], counts: [1, 0, 0] },
    { name: "backoffLimit 1 with restartCount 0 should have 1 pod active", job: facts(1), pods: [restarted(0)], counts: [1, 0, 0] },
    {
      name: "backoffLimit 1 with restartCount 1 and podRunning should have 0 pod active",
      job: facts(1),
      pods: [restarted(1)],
      deletes: 1,
      counts: [0, 0, 1],
      conditions: target,
    },
    {
      name: "backoffLimit 1 with restartCount 1 and podPending should have 0 pod active",
      job: facts(1),
      pods: [restarted(1, "Pending")],
      deletes: 1,
      counts: [0, 0, 1],
      conditions: target,
    },
    { name: "a limit of 0 allows no restart", job: facts(0), pods: [restarted(1)], deletes: 1, counts: [0, 0, 1], conditions: target },
    {
      name: "too many job failures with podRunning - multiple pods",
      job: facts(2, 2),
      pods: [restarted(1), restarted(1)],
      deletes: 2,
      counts: [0, 0, 2],
      conditions: target,
    },
    { name: "not enough failures", job: facts(3, 2), pods: [restarted(1), restarted(1)], counts: [2, 0, 0] },
    {
      name: "suspending a job",
      job: { ...facts(3, 2), suspend: true },
      pods: [restarted(1), restarted(1)],
      deletes: 2,
      counts: [0, 0, 0],
      conditions: ["Suspended JobSuspended"],
    },
    {
      name: "restarts of pods that are not started again in place do not count",
      job: { ...facts(1), restartPolicy: "Never" },
      pods: [restarted(5)],
      counts: [1, 0, 0],
    },
  ])("$name", check)
})

describe("pods that are not started again (upstream's TestJobBackoffOnRestartPolicyNever)", () => {
  const facts = (backoffLimit: number, parallelism = 1): JobFacts => ({ completions: parallelism, parallelism, backoffLimit })
  test.each<Row>([
    { name: "not enough failures with backoffLimit 0 - single pod", job: facts(0), pods: [pod()], counts: [1, 0, 0] },
    { name: "not enough failures with backoffLimit 1 - single pod", job: facts(1), pods: [pod(failed)], counts: [1, 0, 1] },
    {
      name: "too many failures with backoffLimit 1 - single pod",
      job: facts(1),
      pods: pods(2, failed),
      counts: [0, 0, 2],
      conditions: limit,
    },
    {
      name: "not enough failures with backoffLimit 6 - multiple pods",
      job: facts(6, 2),
      pods: [...pods(6, failed), pod()],
      counts: [2, 0, 6],
    },
    {
      name: "too many failures with backoffLimit 6 - multiple pods",
      job: facts(6, 2),
      pods: pods(7, failed),
      counts: [0, 0, 7],
      conditions: limit,
    },
    {
      name: "failures of pods that are gone count too",
      job: { ...facts(6), status: { failed: 6 } },
      pods: [pod(failed)],
      counts: [0, 0, 7],
      conditions: limit,
    },
  ])("$name", check)
})

test("pod is terminating; counted as failed, but the JobFailed condition is delayed", () => {
  const conditions = [{ type: "FailureTarget", status: "True" as const, reason: "BackoffLimitExceeded" }]
  const facts: JobFacts = { completions: 1, backoffLimit: 0, status: { ...started(15), conditions } }
  check({ name: "", job: facts, pods: [pod({ deleting: true })], counts: [0, 0, 1], conditions: limit.slice(0, 1) })
  check({ name: "", job: facts, pods: [pod({ ...failed, deleting: true })], counts: [0, 0, 1], conditions: limit })
})
