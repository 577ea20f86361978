import { describe, expect, test } from "vitest"
import { parseSchedule } from "./schedule.ts"
import { type Due, dueRun, untilNextRun } from "./start.ts"
import { after, type CronJobFacts, cronJob } from "./testing/cron-jobs.ts"

interface Row {
  readonly name: string
  readonly of: CronJobFacts
  readonly now: string
  readonly heed?: boolean
  readonly since: string
  readonly run?: string
  readonly missed?: Due["missed"]
}

const workdays = "30 6-16/4 * * 1-5"

describe("the newest run that is due (upstream's TestMostRecentScheduleTime)", () => {
  test.each<Row>([
    { name: "now before next schedule", of: { schedule: "0 * * * *", created: "0s" }, now: "30s", since: "0s" },
    { name: "now just after next schedule", of: { schedule: "0 * * * *", created: "0s" }, now: "61m", since: "0s", run: "60m" },
    { name: "missed 5 schedules", of: { schedule: "0 * * * *", created: "10s" }, now: "301m", since: "10s", run: "300m", missed: "few" },
    {
      name: "complex schedule",
      of: { schedule: workdays, created: "0s", last: "30m" },
      now: "24h 31m",
      since: "30m",
      run: "24h 30m",
      missed: "few",
    },
    {
      name: "another complex schedule",
      of: { schedule: "30 10,11,12 * * 1-5", created: "0s", last: "30m" },
      now: "30h 30m",
      since: "30m",
      missed: "few",
    },
    {
      name: "complex schedule with longer diff between executions",
      of: { schedule: workdays, created: "0s", last: "30m" },
      now: "96h 31m",
      since: "30m",
      run: "96h 30m",
      missed: "few",
    },
    {
      name: "complex schedule with shorter diff between executions",
      of: { schedule: workdays, created: "0s" },
      now: "24h 31m",
      since: "0s",
      run: "24h 30m",
      missed: "few",
    },
    {
      name: "@every schedule",
      of: { schedule: "@every 1h", created: "-59m", last: "1m", startingDeadlineSeconds: 10 },
      now: "7d",
      since: "1m",
      run: "6d 23h 1m",
      missed: "many",
    },
    {
      name: "earliestTime being CreationTimestamp and LastScheduleTime",
      of: { schedule: "0 * * * *", created: "0s", last: "0s" },
      now: "30s",
      since: "0s",
    },
    { name: "earliestTime being LastScheduleTime", of: { schedule: "*/5 * * * *", created: "0s", last: "30m" }, now: "31m", since: "30m" },
    {
      name: "earliestTime being LastScheduleTime (within StartingDeadlineSeconds)",
      of: { schedule: "*/5 * * * *", created: "0s", last: "30m", startingDeadlineSeconds: 60 },
      now: "31m",
      since: "30m",
    },
    {
      name: "earliestTime being LastScheduleTime (outside StartingDeadlineSeconds)",
      of: { schedule: "*/5 * * * *", created: "0s", last: "30m", startingDeadlineSeconds: 60 },
      now: "32m",
      heed: true,
      since: "31m",
    },
    {
      name: "a clock that is wrong by decades",
      of: { schedule: "* * * * *", created: "-9000d" },
      now: "0s",
      since: "-9000d",
      run: "0s",
      missed: "many",
    },
  ])("$name", ({ of, now, heed = false, since, run, missed = "none" }) => {
    const facts = cronJob(of)
    const expected = { since: after(since), run: run === undefined ? undefined : after(run), missed }
    expect(dueRun(facts, parseSchedule(facts.spec.schedule), after(now), heed)).toEqual(expected)
  })

  test("rogue cronjob", () => {
    const { run, fault } = dueRun(cronJob(), parseSchedule("59 23 31 2 *"), after("1h"), false)
    expect([run, fault]).toEqual([undefined, "time difference between two schedules is less than 1 second"])
  })
})

describe("the time until the next run (upstream's TestNextScheduleTimeDuration)", () => {
  test.each<[string, CronJobFacts, string, string]>([
    ["complex schedule skipping weekend", { schedule: workdays, created: "0s", last: "30m" }, "24h 31m", "28h 30m"],
    ["another complex schedule skipping weekend", { schedule: "30 10,11,12 * * 1-5", created: "0s", last: "30m" }, "30h 30m", "96h 30m"],
    ["once a week cronjob, missed two runs", { schedule: "0 12 * * 4", created: "0s", last: "2h" }, "19d 1h 30m", "21d 2h"],
    ["no previous run of a cronjob", { schedule: "0 12 * * 5", created: "0s" }, "6h", "26h"],
  ])("%s", (_name, of, now, next) => {
    const facts = cronJob(of)
    expect(untilNextRun(facts, parseSchedule(facts.spec.schedule), after(now))).toBe(after(next) - after(now) + 100)
  })

  test("there may be none", () => {
    expect(untilNextRun(cronJob(), parseSchedule("0 0 30 2 *"), after("1h"))).toBeUndefined()
  })
})

test("the newest of a quarter of a million missed runs is found in a few hundred steps", () => {
  const schedule = parseSchedule("* * * 1-6 *")
  let steps = 0
  const counted = {
    next: (from: number) => {
      steps++
      return schedule.next(from)
    },
  }
  const job = { metadata: { name: "a", namespace: "b", creationTimestamp: "2025-06-30T23:58:30Z" }, spec: { schedule: "* * * 1-6 *" } }
  const now = Date.parse("2026-06-30T12:00:30Z")
  const stale = { ...job, status: { lastScheduleTime: "2025-06-30T23:58:00Z" } }
  const { run } = dueRun(
    stale as Parameters<typeof dueRun>[0],
    { next: (from) => (from < Date.parse("2025-07-01T00:00:00Z") ? sparse(from) : counted.next(from)) },
    now,
    false,
  )
  expect(run).toBe(Date.parse("2026-06-30T12:00:00Z"))
  expect(steps).toBeLessThan(300)
})

/** The last run of June, and then none until January. */
function sparse(from: number): number {
  const last = Date.parse("2025-06-30T23:59:00Z")
  return from < last ? last : Date.parse("2026-01-01T00:00:00Z")
}

describe("moments that only a user writes", () => {
  const due = (lastScheduleTime: string, facts: CronJobFacts, now = Date.parse("2026-01-08T10:00:30Z")) => {
    const of = cronJob(facts)
    const schedule = parseSchedule(of.spec.schedule, of.spec.timeZone)
    const one = { ...of, status: { lastScheduleTime } }
    return { ...dueRun(one, schedule, now, true), again: untilNextRun(one, schedule, now) }
  }
  const newest = Date.parse("2026-01-08T10:00:00Z")

  test.each(["0001-01-02T00:00:00Z", "0099-12-31T23:59:59Z", "0100-01-01T00:00:00Z", "1850-06-01T00:00:00Z", "1969-12-31T23:59:59Z"])(
    "a last run of %s leaves the newest run due",
    (last) => {
      expect(due(last, { schedule: "* * * * *" })).toMatchObject({ run: newest, missed: "many", again: 30_100 })
      expect(due(last, { schedule: "@every 1m" })).toMatchObject({ run: newest, missed: "many", again: 30_100 })
      expect(due(last, { schedule: "* * * * *", timeZone: "Europe/Berlin" })).toMatchObject({ run: newest, missed: "many" })
    },
  )

  test("a starting deadline of 2^53 seconds reaches no further back than 1970", () => {
    const facts = { schedule: "* * * * *", startingDeadlineSeconds: 2 ** 53 - 1 }
    expect(due("0001-01-02T00:00:00Z", facts)).toMatchObject({ since: 0, run: newest })
  })

  test("a last run in the year 9999 leaves none due", () => {
    expect(due("9999-12-31T23:59:59Z", { schedule: "* * * * *" }).run).toBeUndefined()
    expect(due("9999-12-31T23:58:00Z", { schedule: "@every 1h" }).run).toBeUndefined()
  })

  test("a day that never comes is never due", () => {
    expect(due("0001-01-02T00:00:00Z", { schedule: "0 0 30 2 *" })).toMatchObject({ missed: "none", again: undefined })
  })

  test.each([-62_135_510_400_000, 8.64e15, -8.64e15, Number.NaN, Number.POSITIVE_INFINITY])("a schedule ends for %d", (after) => {
    const next = parseSchedule("* * * * *").next(after)
    expect(next === undefined || next > 0).toBe(true)
  })

  test("a schedule that does not advance ends the search", () => {
    const stuck = { next: (after: number) => (after < newest - 600_000 ? after + 60_000 : newest - 600_000) }
    expect(dueRun(cronJob({ last: "-59m" }), stuck, newest, false).run).toBe(newest - 600_000)
  })
})
