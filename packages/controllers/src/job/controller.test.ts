import { conflict, forbidden, hasFinalizer } from "@pilothouse/api"
import { jobs } from "@pilothouse/api/batch/v1"
import { namespaces, pods } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { doubling, held, noting, refusing } from "../testing/layers.ts"
import { trackingFinalizer } from "./pods/tracking-finalizer.ts"
import { end, endAll, forEver, livePods, statusOf, told, work } from "./testing/cluster.ts"
import { conditionsOf } from "./testing/play.ts"

function start(options: ClusterOptions = {}): Promise<Cluster> {
  return cluster({ controllers: ["job"], ...options })
}

const complete = ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"]

describe("a Job", () => {
  test("runs its pods until as many have ended well as it asks for", async () => {
    await using running = await start()
    await running.apply(work({ completions: 3, parallelism: 2 }))
    await running.advance("3s")
    expect(await statusOf(running)).toMatchObject({ active: 2, ready: 2, terminating: 0 })
    await endAll(running)
    await running.advance("3s")
    expect(await statusOf(running)).toMatchObject({ active: 1, succeeded: 2 })
    await endAll(running)
    await running.advance("3s")
    const status = await statusOf(running)
    expect(status).toMatchObject({ succeeded: 3, ready: 0, terminating: 0, uncountedTerminatedPods: {} })
    expect(conditionsOf(status)).toEqual(complete)
    expect((await running.list(pods)).some((pod) => hasFinalizer(pod, trackingFinalizer))).toBe(false)
    expect(await told(running)).toEqual([
      "Normal SuccessfulCreate",
      "Normal SuccessfulCreate",
      "Normal SuccessfulCreate",
      "Normal Completed",
    ])
  })

  test("tries again after 10 s, after 20 s, and then gives up", async () => {
    await using running = await start()
    await running.apply(work({ backoffLimit: 2 }))
    await running.advance("2s")
    for (const wait of ["9s", "19s"] as const) {
      await endAll(running, 1)
      await running.advance(wait)
      expect(await livePods(running)).toHaveLength(0)
      await running.advance("4s")
      expect(await livePods(running)).toHaveLength(1)
    }
    await endAll(running, 1)
    await running.advance("3s")
    expect(conditionsOf(await statusOf(running))).toEqual(["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"])
    expect((await statusOf(running)).failed).toBe(3)
    expect((await told(running)).at(-1)).toBe("Warning BackoffLimitExceeded")
  })

  test("counts a deleted pod as failed, and waits though the pod is gone", async () => {
    await using running = await start()
    await running.apply(work())
    await running.advance("2s")
    await running.client.delete(pods, (await livePods(running))[0]!)
    await running.advance("8s")
    expect(await running.list(pods)).toHaveLength(0)
    expect(await statusOf(running)).toMatchObject({ failed: 1 })
    await running.advance("5s")
    expect(await livePods(running)).toHaveLength(1)
  })

  test("does not replace a deleted pod before it has ended, where only failed ones are replaced", async () => {
    await using running = await start()
    const slow = {
      metadata: { annotations: { "pilothouse.dev/stop-time": "10m" } },
      spec: { restartPolicy: "Never", terminationGracePeriodSeconds: 600, containers: [forEver] },
    } as const
    await running.apply(work({ podReplacementPolicy: "Failed", template: slow }))
    await running.advance("2s")
    const [first] = await livePods(running)
    await running.client.delete(pods, first!)
    await running.advance("1m")
    expect(await statusOf(running)).toMatchObject({ terminating: 1 })
    expect(await running.list(pods)).toHaveLength(1)
    await end(running, first!, 143)
    await running.advance("20s")
    expect(await livePods(running)).toHaveLength(1)
    expect(await statusOf(running)).toMatchObject({ failed: 1, active: 1, terminating: 0 })
  })

  test("ends at its deadline, and takes its pods with it", async () => {
    await using running = await start()
    await running.apply(work({ activeDeadlineSeconds: 30 }))
    await running.advance("29s")
    expect(await livePods(running)).toHaveLength(1)
    await running.advance("4s")
    expect(await running.list(pods)).toHaveLength(0)
    expect(conditionsOf(await statusOf(running))).toEqual(["FailureTarget DeadlineExceeded", "Failed DeadlineExceeded"])
  })

  test("fails at once where its policy says so", async () => {
    await using running = await start()
    const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }] as const
    await running.apply(work({ parallelism: 2, completions: 2, podFailurePolicy: { rules } }))
    await running.advance("2s")
    await end(running, (await livePods(running))[0]!, 42)
    await running.advance("3s")
    const status = await statusOf(running)
    expect(conditionsOf(status)).toEqual(["FailureTarget PodFailurePolicy", "Failed PodFailurePolicy"])
    // The other pod was stopped because of it, and failed with it.
    expect(status.failed).toBe(2)
  })

  test("stops when it is suspended, and starts again when it is resumed", async () => {
    await using running = await start()
    await running.apply(work({ parallelism: 2, completions: 2 }))
    await running.advance("2s")
    await running.client.patch(jobs, "default/work", { spec: { suspend: true } })
    await running.advance("3s")
    expect(await running.list(pods)).toHaveLength(0)
    const suspended = await statusOf(running)
    expect([suspended.startTime, suspended.failed, conditionsOf(suspended)]).toEqual([undefined, undefined, ["Suspended JobSuspended"]])
    await running.client.patch(jobs, "default/work", { spec: { suspend: false } })
    await running.advance("3s")
    expect(await livePods(running)).toHaveLength(2)
    expect(conditionsOf(await statusOf(running))).toEqual(["Suspended=False JobResumed"])
    expect((await told(running)).filter((event) => event.endsWith("ed"))).toEqual(["Normal Suspended", "Normal Resumed"])
  })
})

describe("an Indexed Job", () => {
  const index = "batch.kubernetes.io/job-completion-index"

  test("does each part of its work once", async () => {
    await using running = await start()
    await running.apply(work({ completionMode: "Indexed", completions: 4, parallelism: 2 }))
    const done: (string | undefined)[] = []
    for (let round = 0; round < 2; round++) {
      await running.advance("3s")
      done.push(...(await livePods(running)).map(({ metadata }) => metadata.labels?.[index]))
      await endAll(running)
    }
    await running.advance("3s")
    expect(done.sort()).toEqual(["0", "1", "2", "3"])
    expect(await statusOf(running)).toMatchObject({ completedIndexes: "0-3", succeeded: 4 })
  })

  test("gives up an index that fails too often, and goes on with the others", async () => {
    await using running = await start()
    await running.apply(work({ completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 1 }))
    for (let round = 0; round < 2; round++) {
      await running.advance("15s")
      const bad = (await livePods(running)).find(({ metadata }) => metadata.labels?.[index] === "1")
      expect(bad?.metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"]).toBe(String(round))
      await end(running, bad!, 1)
    }
    await running.advance("15s")
    expect(await statusOf(running)).toMatchObject({ active: 1, failed: 2, failedIndexes: "1" })
    await endAll(running)
    await running.advance("3s")
    expect(conditionsOf(await statusOf(running))).toEqual(["FailureTarget FailedIndexes", "Failed FailedIndexes"])
  })

  test("can be made smaller while it runs", async () => {
    await using running = await start()
    await running.apply(work({ completionMode: "Indexed", completions: 3, parallelism: 3 }))
    await running.advance("3s")
    await running.client.patch(jobs, "default/work", { spec: { completions: 1, parallelism: 1 } })
    await running.advance("3s")
    expect((await livePods(running)).map(({ metadata }) => metadata.labels?.[index])).toEqual(["0"])
    await endAll(running)
    await running.advance("3s")
    expect(conditionsOf(await statusOf(running))).toEqual(complete)
  })
})

describe("whose pods they are", () => {
  const mine = { matchLabels: { app: "mine" } }
  const selecting = work({
    manualSelector: true,
    selector: mine,
    template: {
      metadata: { labels: mine.matchLabels },
      spec: { restartPolicy: "Never", containers: [forEver] },
    },
  })
  const orphan = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "orphan", labels: mine.matchLabels },
    spec: selecting.spec!.template.spec!,
  } as const

  test("an orphan that matches is adopted and tracked, and released when it does not match any more", async () => {
    await using running = await start()
    await running.apply(orphan)
    await running.apply(selecting)
    await running.advance("3s")
    const adopted = await running.client.get(pods, "default/orphan")
    expect(adopted.metadata.ownerReferences).toMatchObject([{ kind: "Job", controller: true }])
    expect(adopted.metadata.finalizers).toEqual([trackingFinalizer])
    expect(await running.list(pods)).toHaveLength(1)
    await running.client.patch(pods, "default/orphan", { metadata: { labels: { app: "other" } } })
    await running.advance("3s")
    const { metadata } = await running.client.get(pods, "default/orphan")
    expect([metadata.ownerReferences, metadata.finalizers]).toEqual([undefined, undefined])
    expect(await running.list(pods)).toHaveLength(2)
  })

  test("releases the pods of a deleted Job", async () => {
    await using running = await start()
    await running.apply(work())
    await running.advance("2s")
    await running.client.delete(jobs, "default/work", { propagationPolicy: "Background" })
    await running.advance("2s")
    expect((await running.list(pods)).map(({ metadata }) => metadata.finalizers)).toEqual([undefined])
  })

  test("releases a pod whose owner reference was removed", async () => {
    await using running = await start()
    await running.apply({ ...orphan, metadata: { ...orphan.metadata, finalizers: [trackingFinalizer] } })
    await running.advance("2s")
    expect((await running.list(pods)).map(({ metadata }) => metadata.finalizers)).toEqual([undefined])
  })

  test("a Job that another controller manages is let be", async () => {
    const writes: string[] = []
    await using running = await start({ layer: noting(writes) })
    await running.apply(work({ managedBy: "example.com/other" }))
    await running.advance("5s")
    expect(writes.filter((write) => /jobs|pods/.test(write))).toEqual([])
  })
})

describe("what goes wrong", () => {
  test("refused pods: an event, and longer and longer waits", async () => {
    let tries = 0
    const layer = refusing(({ verb, path }) =>
      verb === "POST" && path.endsWith("/pods") && ++tries > 0 ? forbidden(pods, "work", "exceeded quota") : undefined,
    )
    await using running = await start({ layer })
    await running.apply(work({ parallelism: 50, completions: 50 }))
    await running.advance("10m")
    // One pod at a time, for slow start; after 1 s, 2 s, 4 s … 60 s.
    expect(tries).toBeGreaterThan(10)
    expect(tries).toBeLessThan(20)
    expect(await told(running)).toContain("Warning FailedCreate")
    expect((await statusOf(running)).active).toBeUndefined()
  })

  test("a cache that is behind makes no second pod", async () => {
    const late = held("pods")
    await using running = await start({ layer: late.layer })
    await running.settled()
    late.hold()
    await running.apply(work({ parallelism: 2, completions: 2 }))
    await running.advance("2s")
    await running.client.patch(jobs, "default/work", { spec: { suspend: true } })
    await running.advance("10s")
    expect(await running.list(pods)).toHaveLength(2)
    late.release()
    await running.advance("3s")
    expect(await running.list(pods)).toHaveLength(0)
  })

  test("a conflicting status write is retried, and nothing is counted twice", async () => {
    let conflicts = 0
    const layer = refusing(({ verb, path }) =>
      verb === "PUT" && path.endsWith("/jobs/work/status") && ++conflicts % 2 === 1
        ? conflict(jobs, "work", "another client was faster")
        : undefined,
    )
    await using running = await start({ layer })
    await running.apply(work({ parallelism: 2, completions: 2 }))
    await running.advance("10s")
    await endAll(running)
    await running.advance("20s")
    expect(await statusOf(running)).toMatchObject({ succeeded: 2 })
    expect(await running.list(pods)).toHaveLength(2)
  })

  test("events that come twice change nothing", async () => {
    await using running = await start({ layer: doubling() })
    await running.apply(work({ parallelism: 2, completions: 4 }))
    for (let round = 0; round < 2; round++) {
      await running.advance("3s")
      await endAll(running)
    }
    await running.advance("3s")
    expect(await running.list(pods)).toHaveLength(4)
    expect(await statusOf(running)).toMatchObject({ succeeded: 4 })
  })

  test("a namespace that goes away is not fought", async () => {
    const writes: string[] = []
    await using running = await start({ layer: noting(writes) })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } })
    await running.apply(work({ suspend: true }, { namespace: "leaving" }))
    await running.advance("2s")
    await running.client.delete(namespaces, "leaving")
    writes.length = 0
    await running.client.patch(jobs, "leaving/work", { spec: { suspend: false } })
    await running.advance("10m")
    // Once when it is resumed, and once when the status says so.
    expect(writes.filter((write) => write === "POST /api/v1/namespaces/leaving/pods")).toHaveLength(2)
    expect(await told(running)).not.toContain("Warning FailedCreate")
  })
})

test("a Job takes few writes, and none when it is over or nothing happens", async () => {
  const writes: string[] = []
  await using running = await start({ layer: noting(writes) })
  const own = () => writes.filter((write) => /\/jobs|POST .*\/pods$|PATCH .*\/pods\/[^/]*$/.test(write))
  await running.apply(work())
  await running.advance("1m")
  await endAll(running)
  await running.advance("10m")
  // The pod; active; ready; ended and noted; released; counted and complete. As many as upstream.
  expect(own().map((write) => write.split(" ")[0])).toEqual(["POST", "PUT", "PUT", "PUT", "PATCH", "PUT"])
})

test("whichever API call the controllers crash at, every pod is counted once", async () => {
  const scenario = {
    cluster: { controllers: ["job"] },
    async run(running: Cluster) {
      await running.apply(work({ parallelism: 2, completions: 3, backoffLimit: 6 }))
      await running.advance("40s")
      const [bad, good] = await livePods(running)
      await end(running, bad!, 1)
      await end(running, good!)
      for (let round = 0; round < 2; round++) {
        await running.advance("40s")
        await endAll(running)
      }
      await running.advance("40s")
    },
    end: async (running: Cluster) => {
      const { succeeded, failed, active, uncountedTerminatedPods, conditions } = await statusOf(running)
      const left = (await running.list(pods)).filter((pod) => hasFinalizer(pod, trackingFinalizer))
      return {
        succeeded,
        failed,
        active,
        uncountedTerminatedPods,
        ended: conditionsOf({ conditions }),
        pods: (await running.list(pods)).length,
        left: left.length,
      }
    },
  }
  const report = await crashPoints(scenario, { sample: 10, seed: 7, writers: ["job-controller"] })
  expect(report.tried).toBe(10)
})
