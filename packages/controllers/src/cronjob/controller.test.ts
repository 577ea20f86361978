import { conflict, forbidden } from "@pilothouse/api"
import { type CronJob, type CronJobSpec, cronJobs, type Job, jobs } from "@pilothouse/api/batch/v1"
import { events, namespaces } from "@pilothouse/api/core/v1"
import { describePlan } from "@pilothouse/runtime"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { endAll } from "../job/testing/cluster.ts"
import { doubling, held, noting, refusing } from "../testing/layers.ts"

/** Time begins at nine o'clock UTC on a Monday. */
function tick(spec: Partial<CronJobSpec> = {}, metadata: CronJob["metadata"] = {}): CronJob {
  const template = {
    spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "example/tick", command: ["sleep", "infinity"] }] },
  }
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "tick", ...metadata },
    spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template } }, ...spec },
  }
}

function start(options: ClusterOptions = {}): Promise<Cluster> {
  return cluster({ controllers: ["cronjob", "job"], ...options })
}

const scheduled = "batch.kubernetes.io/cronjob-scheduled-timestamp"

/** "9:05, 9:10": the runs that there are Jobs of. */
async function runs(running: Cluster): Promise<string> {
  const times = (await running.list(jobs)).map(({ metadata }) => metadata.annotations?.[scheduled]?.slice(11, 16))
  return times.sort().join(", ")
}

async function get(running: Cluster): Promise<CronJob> {
  return running.client.get(cronJobs, "default/tick")
}

async function told(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(events)
  return all.filter(({ involvedObject }) => involvedObject.kind === "CronJob").map(({ type, reason }) => `${type} ${reason}`)
}

describe("a CronJob", () => {
  test("starts a Job at each time of its schedule", async () => {
    await using running = await start()
    await running.apply(tick())
    await running.advance("11m")
    expect(await runs(running)).toBe("09:05, 09:10")
    const { status } = await get(running)
    expect(status?.lastScheduleTime).toBe("2026-01-05T09:10:00Z")
    expect(status?.active?.map(({ name }) => name)).toEqual(["tick-29460065", "tick-29460070"])
    const [job] = await running.list(jobs)
    expect(job?.metadata.ownerReferences).toMatchObject([{ kind: "CronJob", name: "tick", controller: true }])
  })

  test("sees its Jobs end, and keeps as many as its limits allow", async () => {
    await using running = await start()
    await running.apply(tick({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 }))
    for (let run = 0; run < 5; run++) {
      await running.advance("5m")
      await running.advance("10s")
      await endAll(running, run % 2)
    }
    await running.advance("1m")
    // 9:05, 9:15 and 9:25 ended well, 9:10 and 9:20 did not; of those one is still being tried again.
    const { status } = await get(running)
    expect(status?.lastSuccessfulTime?.slice(11, 16)).toBe("09:25")
    expect(await told(running)).toContain("Normal SawCompletedJob")
    expect(await told(running)).toContain("Normal SuccessfulDelete")
    const ended = (await running.list(jobs)).filter(({ status: of }) => of?.completionTime !== undefined)
    expect(ended.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toHaveLength(2)
  })

  test.each([
    ["Allow", "09:05, 09:10, 09:15"],
    ["Forbid", "09:05"],
    ["Replace", "09:15"],
  ] as const)("with the policy %s", async (concurrencyPolicy, expected) => {
    await using running = await start()
    await running.apply(tick({ concurrencyPolicy }))
    await running.advance("16m")
    expect(await runs(running)).toBe(expected)
    expect((await get(running)).status?.active).toHaveLength(expected.split(", ").length)
    if (concurrencyPolicy === "Forbid") expect(await told(running)).toContain("Normal JobAlreadyActive")
  })

  test("goes by the clocks of its time zone", async () => {
    await using running = await start()
    await running.apply(tick({ schedule: "0 15 * * *", timeZone: "Asia/Kolkata" }))
    await running.advance("29m")
    expect(await runs(running)).toBe("")
    await running.advance("2m")
    expect((await running.list(jobs))[0]?.metadata.annotations?.[scheduled]).toBe("2026-01-05T15:00:00+05:30")
  })

  test("starts nothing while it is suspended, and the newest of what it missed after that", async () => {
    await using running = await start()
    await running.apply(tick({ suspend: true }))
    await running.advance("31m")
    expect(await runs(running)).toBe("")
    await running.client.patch(cronJobs, "default/tick", { spec: { suspend: false } })
    await running.advance("1m")
    expect(await runs(running)).toBe("09:30")
  })

  test("does not make up for what is past its starting deadline", async () => {
    await using running = await start()
    await running.apply(tick({ suspend: true, startingDeadlineSeconds: 60 }))
    await running.advance("32m")
    await running.client.patch(cronJobs, "default/tick", { spec: { suspend: false } })
    await running.advance("1m")
    expect(await runs(running)).toBe("")
    await running.advance("3m")
    expect(await runs(running)).toBe("09:35")
  })

  test("with another schedule begins with its next time", async () => {
    await using running = await start()
    await running.apply(tick({ schedule: "0 0 1 1 *" }))
    await running.advance("23m")
    await running.client.patch(cronJobs, "default/tick", { spec: { schedule: "*/10 * * * *" } })
    await running.advance("6m")
    expect(await runs(running)).toBe("")
    await running.advance("2m")
    expect(await runs(running)).toBe("09:30")
  })

  test("forgets a Job that a user deleted", async () => {
    await using running = await start()
    await running.apply(tick({ concurrencyPolicy: "Forbid" }))
    await running.advance("6m")
    const [job] = await running.list(jobs)
    await running.client.delete(jobs, job!, { propagationPolicy: "Background" })
    await running.advance("1m")
    expect((await get(running)).status?.active).toBeUndefined()
    expect(await told(running)).toContain("Normal MissingJob")
  })
})

describe("what goes wrong", () => {
  test("a schedule that makes no sense: an event, and no rapid retries", async () => {
    await using running = await start()
    await running.apply(tick({ schedule: "0 0 31 2 *" }))
    await running.advance("30m")
    expect(await told(running)).toEqual(["Warning InvalidSchedule"])
    expect(running.trace.entries().filter(({ controller }) => controller === "cronjob-controller").length).toBeLessThan(5)
    const last = running.trace.entries().findLast(({ controller }) => controller === "cronjob-controller")
    expect(describePlan(last!.plan!)).toEqual([
      "cannot go on: invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second: no date that it names ever comes; mend spec.schedule",
    ])
    expect((await running.list(events)).find(({ involvedObject }) => involvedObject.kind === "CronJob")?.message).toBe(
      "invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second",
    )
  })

  test("a refused Job: an event, and longer and longer waits", async () => {
    let tries = 0
    const layer = refusing(({ verb, path }) =>
      verb === "POST" && path.endsWith("/jobs") && ++tries > 0 ? forbidden(jobs, "tick", "exceeded quota") : undefined,
    )
    await using running = await start({ layer })
    await running.apply(tick({ schedule: "5 9 * * *" }))
    await running.advance("10m")
    expect(tries).toBeLessThan(20)
    expect(await told(running)).toContain("Warning FailedCreate")
  })

  test("a cache that is behind starts no second Job, and calls none missing", async () => {
    const late = held("/jobs")
    await using running = await start({ layer: late.layer })
    await running.settled()
    late.hold()
    await running.apply(tick({ concurrencyPolicy: "Forbid" }))
    await running.advance("17m")
    expect(await runs(running)).toBe("09:05")
    late.release()
    await running.advance("1m")
    expect(await told(running)).not.toContain("Normal MissingJob")
  })

  test("a status that another client changed is written in the end, and the run is started once", async () => {
    let conflicts = 0
    const layer = refusing(({ verb, path }) =>
      verb === "PUT" && path.endsWith("/tick/status") && ++conflicts === 1
        ? conflict(cronJobs, "tick", "another client was faster")
        : undefined,
    )
    await using running = await start({ layer })
    await running.apply(tick())
    await running.advance("6m")
    expect(await runs(running)).toBe("09:05")
    expect((await get(running)).status).toMatchObject({ lastScheduleTime: "2026-01-05T09:05:00Z", active: [{ kind: "Job" }] })
  })

  test("events that come twice change nothing", async () => {
    await using running = await start({ layer: doubling() })
    await running.apply(tick())
    await running.advance("11m")
    expect(await runs(running)).toBe("09:05, 09:10")
  })

  test("leaves a Job of another owner with the run's name alone", async () => {
    await using running = await start()
    await running.apply(tick())
    const theirs: Job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "tick-29460065" }, spec: tick().spec.jobTemplate.spec! }
    await running.apply(theirs)
    await running.advance("11m")
    expect((await get(running)).status?.active?.map(({ name }) => name)).toEqual(["tick-29460070"])
  })

  test("a namespace that goes away is not fought", async () => {
    const writes: string[] = []
    await using running = await start({ layer: noting(writes) })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } })
    await running.apply(tick({ schedule: "5 9 * * *" }, { namespace: "leaving" }))
    await running.client.delete(namespaces, "leaving")
    await running.advance("30m")
    expect(writes.filter((write) => write.endsWith("/leaving/jobs"))).toHaveLength(1)
    expect(await told(running)).toEqual([])
  })
})

test("a run takes two writes, and nothing is written between runs", async () => {
  const writes: string[] = []
  await using running = await cluster({ controllers: ["cronjob"], layer: noting(writes) })
  await running.apply(tick({ schedule: "5 9 * * *" }))
  await running.advance("20m")
  // The Job, and the status.
  expect(writes.filter((write) => /jobs/.test(write)).map((write) => write.replace(/.*\/default/, ""))).toEqual([
    "/jobs",
    "/cronjobs/tick/status",
  ])
})

test("whichever API call the controllers crash at, each run is started once", async () => {
  const scenario = {
    cluster: { controllers: ["cronjob"] },
    run: async (running: Cluster) => {
      await running.apply(tick())
      await running.advance("12m")
    },
    end: async (running: Cluster) => [await runs(running), (await get(running)).status?.active?.map(({ name }) => name)],
  }
  expect((await crashPoints(scenario, { sample: 10, seed: 3, writers: ["cronjob-controller"] })).tried).toBe(10)
})
