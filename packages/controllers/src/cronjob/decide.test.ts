import { StatusError } from "@pilothouse/api"
import type { CronJobStatus, Job } from "@pilothouse/api/batch/v1"
import type { Operation, Result } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { settle } from "./settle.ts"
import { after, at, type CronJobFacts, cronJob, job } from "./testing/cron-jobs.ts"

interface Played {
  readonly created?: Job
  readonly deleted: readonly string[]
  readonly status: CronJobStatus
  readonly writes: number
  readonly events: readonly string[]
  readonly again?: number
}

interface PlayOptions extends Partial<Observed> {
  readonly refuse?: (operation: Operation) => Result | undefined
}

/** One reconcile: decide, apply, settle. */
function play(facts: CronJobFacts, now: string, { refuse = () => undefined, ...more }: PlayOptions = {}): Played {
  const observed: Observed = { cronJob: cronJob(facts), jobs: [], missing: new Set(), newSchedule: false, ...more }
  const context = { now: after(now), random: seededRandom(1) }
  const plan = decide(observed, context)
  const operations = plan.steps.flatMap((step) => step.operations)
  const results = operations.map((operation) => refuse(operation) ?? done(operation))
  const settled = settle(observed, results, context)
  const [write] = settled.steps.flatMap((step) => step.operations)
  return {
    created: operations.flatMap((operation) => (operation.do === "create" ? [operation.object as Job] : []))[0],
    deleted: operations.flatMap((operation) => (operation.do === "delete" ? [operation.object.metadata.name ?? ""] : [])),
    status: write?.do === "status" ? (write.status as CronJobStatus) : (observed.cronJob.status ?? {}),
    writes: write === undefined ? 0 : 1,
    events: [...plan.events, ...settled.events].map(({ type, reason }) => `${type} ${reason}`),
    again: plan.requeue?.after as number | undefined,
  }
}

function done(operation: Operation): Result {
  if (operation.do !== "create") return { operation, ok: true }
  return { operation, ok: true, object: { ...operation.object, metadata: { ...operation.object.metadata, uid: "new" } } }
}

const nameAt = (moment: string) => `tick-${Math.floor(after(moment) / 60_000)}`

interface Row {
  readonly name: string
  readonly of: CronJobFacts
  readonly jobs?: readonly Job[]
  readonly now: string
  /** The run that is started. */
  readonly starts?: string
  readonly deletes?: readonly string[]
  readonly active?: number
  readonly events?: readonly string[]
  /** The moment of the requeue. */
  readonly next?: string
}

function check({ of, jobs = [], now, starts, deletes = [], active = starts === undefined ? 0 : 1, events = [], next }: Row): void {
  const played = play(of, now, { jobs })
  expect(played.created?.metadata.name).toBe(starts === undefined ? undefined : nameAt(starts))
  expect(played.deleted).toEqual(deletes)
  expect(played.status.active?.length ?? 0).toBe(active)
  const started = starts === undefined ? [] : ["Normal SuccessfulCreate"]
  expect(played.events).toEqual([...events, ...deletes.map(() => "Normal SuccessfulDelete"), ...started])
  expect(played.again).toBe(next === undefined ? undefined : after(next) - after(now) + 100)
  if (starts !== undefined) expect(played.status.lastScheduleTime).toBe(at(starts))
}

const policies = ["Allow", "Forbid", "Replace"] as const
const before = { created: "-59m" }
const ran = { created: "-2h", last: "-1h", active: ["old"] }
const done1 = [job("old", "Complete")]
const saw = "Normal SawCompletedJob"
const many = "Warning TooManyMissedTimes"

describe.each(policies)("with the policy %s", (concurrencyPolicy) => {
  const policy = { concurrencyPolicy }
  test.each<Row>([
    {
      name: "never ran, not valid schedule",
      of: { ...before, ...policy, schedule: "obvious error schedule" },
      now: "-1m",
      events: ["Warning UnparseableSchedule"],
    },
    { name: "never ran, not time", of: { ...before, ...policy }, now: "-1m", next: "0s" },
    { name: "never ran, is time", of: { ...before, ...policy }, now: "1m", starts: "0s", next: "1h" },
    { name: "prev ran but done, not time", of: { ...ran, ...policy }, jobs: done1, now: "-1m", events: [saw], next: "0s" },
    { name: "prev ran but done, is time", of: { ...ran, ...policy }, jobs: done1, now: "1m", starts: "0s", events: [saw], next: "1h" },
    { name: "still active, not time", of: { ...ran, ...policy }, jobs: [job("old")], now: "-1m", active: 1, next: "0s" },
    {
      name: "prev ran but done, long overdue, not past deadline",
      of: { ...ran, ...policy, startingDeadlineSeconds: 1_000_000 },
      jobs: done1,
      now: "7d",
      starts: "7d",
      events: [saw, many],
      next: "7d 1h",
    },
    {
      name: "prev ran but done, long overdue, no deadline",
      of: { ...ran, ...policy },
      jobs: done1,
      now: "7d",
      starts: "7d",
      events: [saw, many],
      next: "7d 1h",
    },
    {
      name: "prev ran but done, long overdue, past medium deadline",
      of: { ...ran, ...policy, startingDeadlineSeconds: 7200 },
      jobs: done1,
      now: "7d",
      starts: "7d",
      events: [saw],
      next: "7d 1h",
    },
    {
      name: "prev ran but done, long overdue, past short deadline",
      of: { ...ran, ...policy, startingDeadlineSeconds: 10 },
      jobs: done1,
      now: "7d",
      starts: "7d",
      events: [saw],
      next: "7d 1h",
    },
  ])("$name", check)
})

describe("a Job that still runs when the next is due", () => {
  test.each<Row>([
    { name: "still active, is time, A", of: { ...ran }, jobs: [job("old")], now: "1m", starts: "0s", active: 2, next: "1h" },
    {
      name: "still active, is time, F",
      of: { ...ran, concurrencyPolicy: "Forbid" },
      jobs: [job("old")],
      now: "1m",
      active: 1,
      events: ["Normal JobAlreadyActive"],
      next: "1h",
    },
    {
      name: "still active, is time, R",
      of: { ...ran, concurrencyPolicy: "Replace" },
      jobs: [job("old")],
      now: "1m",
      deletes: ["old"],
      starts: "0s",
      next: "1h",
    },
    { name: "still active, is time, suspended", of: { ...ran, suspend: true }, jobs: [job("old")], now: "1m", active: 1 },
    {
      name: "still active, is time, past deadline",
      of: { ...ran, startingDeadlineSeconds: 10 },
      jobs: [job("old")],
      now: "1m",
      active: 1,
      next: "1h",
    },
    {
      name: "still active, is time, not past deadline",
      of: { ...ran, startingDeadlineSeconds: 1000 },
      jobs: [job("old")],
      now: "1m",
      starts: "0s",
      active: 2,
      next: "1h",
    },
  ])("$name", check)

  test("Replace deletes before it starts, and in the background", () => {
    const observed = {
      cronJob: cronJob({ ...ran, concurrencyPolicy: "Replace" }),
      jobs: [job("old")],
      missing: new Set<string>(),
      newSchedule: false,
    }
    const { steps } = decide(observed, { now: after("1m"), random: seededRandom(1) })
    expect(steps.map(({ operations }) => operations.map((operation) => operation.do))).toEqual([["delete"], ["create"]])
    expect(steps[0]?.operations[0]).toMatchObject({
      options: { propagationPolicy: "Background" },
      object: { metadata: { uid: "uid-old" } },
    })
  })
})

describe("time zones, suspension, deadlines", () => {
  test.each<Row>([
    { name: "never ran, not valid time zone", of: { ...before, timeZone: "bad timezone" }, now: "1m", events: ["Warning UnknownTimeZone"] },
    { name: "never ran, not time in zone", of: { ...before, schedule: "0 5 * * *", timeZone: "America/New_York" }, now: "-1m", next: "0s" },
    {
      name: "never ran, is time in zone",
      of: { ...before, schedule: "0 5 * * *", timeZone: "America/New_York" },
      now: "1m",
      starts: "0s",
      next: "24h",
    },
    {
      name: "never ran, is time in zone, but TZ is also set in schedule",
      of: { ...before, schedule: "TZ=UTC 0 10 * * *", timeZone: "America/New_York" },
      now: "1m",
      starts: "0s",
      events: ["Warning UnsupportedSchedule"],
      next: "24h",
    },
    { name: "never ran, is time, suspended", of: { ...before, suspend: true }, now: "1m" },
    { name: "never ran, is time, past deadline", of: { ...before, startingDeadlineSeconds: 10 }, now: "12m", next: "1h" },
    {
      name: "never ran, is time, not past deadline",
      of: { ...before, startingDeadlineSeconds: 1000 },
      now: "1m",
      starts: "0s",
      next: "1h",
    },
    {
      name: "a schedule that can be read and makes no sense",
      of: { ...before, schedule: "0 0 31 2 *" },
      now: "1m",
      events: ["Warning InvalidSchedule"],
    },
    { name: "a CronJob that is being deleted", of: { ...before, deleting: true }, now: "1m" },
  ])("$name", check)
})

describe("with @every", () => {
  const every = { schedule: "@every 1h" }
  const earlier = { ...every, created: "-61m", last: "-1m", active: ["old"] }
  test.each<Row>([
    { name: "never ran, not time", of: { ...every, created: "-1m" }, now: "0s", next: "59m" },
    { name: "never ran, is time", of: { ...every, created: "-61m" }, now: "-1m", starts: "-1m", next: "59m" },
    { name: "never ran, is time, past deadline", of: { ...every, created: "-61m", startingDeadlineSeconds: 10 }, now: "-49s", next: "59m" },
    {
      name: "never ran, is time, not past deadline",
      of: { ...every, created: "-61m", startingDeadlineSeconds: 1000000 },
      now: "-51s",
      starts: "-1m",
      next: "59m",
    },
    { name: "prev ran but done, not time", of: earlier, jobs: done1, now: "0s", events: [saw], next: "59m" },
    { name: "prev ran but done, is time", of: earlier, jobs: done1, now: "1h", starts: "59m", events: [saw], next: "1h 59m" },
    { name: "still active, not time", of: earlier, jobs: [job("old")], now: "0s", active: 1, next: "59m" },
    { name: "still active, is time", of: earlier, jobs: [job("old")], now: "61m", starts: "59m", active: 2, next: "1h 59m" },
    {
      name: "prev ran but done, long overdue, no deadline",
      of: { ...earlier, last: "1m" },
      jobs: done1,
      now: "7d",
      starts: "6d 23h 1m",
      events: [saw, many],
      next: "7d 1m",
    },
  ])("$name", check)
})

describe("what the status does not say", () => {
  const name = nameAt("0s")
  test("this started but went missing in the cache, and the server has it: it stays active", () => {
    const played = play({ created: "-2h", last: "0s", active: [name] }, "1m", { jobs: [] })
    expect([played.created, played.status.active?.length, played.writes]).toEqual([undefined, 1, 0])
  })

  test("one that the server does not have either is not active any more", () => {
    const played = play({ created: "-2h", last: "0s", active: [name] }, "1m", { missing: new Set([`uid-${name}`]) })
    expect([played.status.active, played.events]).toEqual([undefined, ["Normal MissingJob"]])
  })

  test("this started but is not present in cronjob active list: it was made before a crash, and is not made twice", () => {
    const played = play({ created: "-2h", last: "-1h" }, "1m", { jobs: [job(name)] })
    expect([played.created, played.events]).toEqual([undefined, ["Warning UnexpectedJob"]])
    expect(played.status).toMatchObject({ lastScheduleTime: at("0s"), active: [{ name, uid: `uid-${name}` }] })
  })

  test("one that has ended meanwhile is only remembered", () => {
    const played = play({ created: "-2h", last: "-1h" }, "1m", { jobs: [job(name, "Complete")] })
    expect(played.status).toEqual({ active: undefined, lastScheduleTime: at("0s"), lastSuccessfulTime: at("-30m") })
  })

  test("JobAlreadyExistsButDifferentOwner: nothing is taken for ours", () => {
    const exists = (operation: Operation): Result => ({ operation, ok: true })
    const played = play({ created: "-2h", last: "-1h" }, "1m", { refuse: exists })
    expect([played.status.lastScheduleTime, played.events]).toEqual([at("-1h"), []])
  })

  test("this ran but done, time drifted back, F", () => {
    const played = play({ created: "-2h", last: "0s", concurrencyPolicy: "Forbid" }, "-1m", { jobs: [job(name, "Complete")] })
    expect(played.created).toBeUndefined()
  })
})

describe("the last success", () => {
  test.each([
    ["zero", 0, ["old"]],
    ["ten", 10, []],
    ["nil", undefined, []],
  ] as const)("set lastsuccessfultime if successfulJobHistoryLimit is %s", (_name, successfulJobsHistoryLimit, deleted) => {
    const played = play({ ...ran, successfulJobsHistoryLimit }, "-1m", { jobs: done1 })
    expect(played.status.lastSuccessfulTime).toBe(at("-30m"))
    expect(played.deleted).toEqual(deleted)
  })

  test("it never goes back, and failures do not count", () => {
    const jobs = [job("old", "Complete"), job("bad", "Failed", "-20m", "-10m")]
    expect(play({ ...ran, lastSuccess: "-5m" }, "-1m", { jobs }).status.lastSuccessfulTime).toBe(at("-5m"))
    expect(play({ ...ran, lastSuccess: "-5h" }, "-1m", { jobs }).status.lastSuccessfulTime).toBe(at("-30m"))
  })
})

describe("the history", () => {
  const started = (name: string, ended: "Complete" | "Failed", start?: string): Job => {
    const made = job(name, ended, start ?? "0s")
    return start === undefined ? { ...made, status: { ...made.status, startTime: undefined } } : made
  }
  test.each<[string, readonly Job[], CronJobFacts, readonly string[]]>([
    ["jobs are not deleted if history limit not reached", [started("a", "Complete", "-3h")], { successfulJobsHistoryLimit: 2 }, []],
    [
      "the oldest go, each kind by its own limit",
      [started("c", "Complete", "-1h"), started("a", "Complete", "-3h"), started("b", "Complete", "-2h"), started("x", "Failed", "-5h")],
      { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 },
      ["a", "b"],
    ],
    ["both have nil start times", [started("b", "Failed"), started("a", "Failed")], { failedJobsHistoryLimit: 1 }, ["a"]],
    ["only the first has a nil start time", [started("a", "Failed"), started("b", "Failed", "-1h")], { failedJobsHistoryLimit: 1 }, ["b"]],
    [
      "both have non-nil, equal start time",
      [started("b", "Failed", "-1h"), started("a", "Failed", "-1h")],
      { failedJobsHistoryLimit: 1 },
      ["a"],
    ],
    ["Jobs that run are no history", [job("a"), job("b")], { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }, []],
  ])("%s", (_name, jobs, limits, deleted) => {
    expect(play({ ...limits, last: "-1h" }, "-1m", { jobs }).deleted).toEqual(deleted)
  })

  test("jobs are still deleted when a cronjob can't create jobs due to jobs quota being reached (avoiding a deadlock)", () => {
    const refuse = (operation: Operation): Result | undefined =>
      operation.do === "create" ? { operation, ok: false, error: new Error("quota") } : undefined
    const played = play({ ...ran, successfulJobsHistoryLimit: 0 }, "1m", { jobs: done1, refuse })
    expect(played.deleted).toEqual(["old"])
    expect(played.events).toEqual([saw, "Normal SuccessfulDelete", "Warning FailedCreate"])
    expect(played.status.lastScheduleTime).toBe(at("-1h"))
  })
})

test("do nothing if the namespace is terminating", () => {
  const details = { causes: [{ reason: "NamespaceTerminating" }] }
  const error = new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    code: 403,
    reason: "Forbidden",
    details,
  } as never)
  const refuse = (operation: Operation): Result => ({ operation, ok: false, error })
  expect(play({ created: "-2h", last: "-1h" }, "1m", { refuse })).toMatchObject({ events: [], writes: 0 })
})

test("a schedule that became another one does not begin with what it would have started before", () => {
  const played = play({ created: "-2d", schedule: "0 * * * *" }, "1m", { newSchedule: true })
  expect([played.created, played.again]).toEqual([undefined, after("1h") - after("1m") + 100])
})

test("a Job carries the template, the time it was scheduled for and its owner", () => {
  expect(play({ ...before, timeZone: "Europe/Berlin" }, "1m").created).toMatchObject({
    metadata: {
      name: "tick-29464440",
      namespace: "default",
      labels: { a: "b" },
      annotations: { x: "y", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-08T11:00:00+01:00" },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "tick", uid: "cron-1", controller: true }],
    },
    spec: { template: { spec: { restartPolicy: "Never" } } },
  })
})
