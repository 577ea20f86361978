import { jobs } from "@pilothouse/api/batch/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { endAll, work } from "../job/testing/cluster.ts"
import { doubling, held, noting } from "../testing/layers.ts"

/** A Job that ended a moment ago. */
async function start(ttlSecondsAfterFinished: number | undefined, options: ClusterOptions = {}): Promise<Cluster> {
  const running = await cluster({ controllers: ["job", "ttl-after-finished"], ...options })
  await finish(running, ttlSecondsAfterFinished)
  return running
}

async function finish(running: Cluster, ttlSecondsAfterFinished: number | undefined): Promise<void> {
  await running.apply(work({ ttlSecondsAfterFinished }))
  await running.advance("3s")
  await endAll(running)
  await running.advance("3s")
}

/** Whether the Job was deleted. The garbage collector, which is not here, would now delete its pods, and then the Job goes. */
async function isDeleted(running: Cluster): Promise<boolean> {
  const [job] = await running.list(jobs)
  return job?.metadata.deletionTimestamp !== undefined && job.metadata.finalizers?.includes("foregroundDeletion") === true
}

test("a Job that has ended stays as long as it may, and no longer", async () => {
  await using running = await start(60)
  await running.advance("55s")
  expect(await isDeleted(running)).toBe(false)
  await running.advance("10s")
  expect(await isDeleted(running)).toBe(true)
})

test("a Job without a limit stays", async () => {
  await using running = await start(undefined)
  await running.advance("10m")
  expect(await isDeleted(running)).toBe(false)
})

test("a limit that is changed in time counts", async () => {
  await using running = await start(60)
  await running.client.patch(jobs, "default/work", { spec: { ttlSecondsAfterFinished: 600 } })
  await running.advance("5m")
  expect(await isDeleted(running)).toBe(false)
  await running.client.patch(jobs, "default/work", { spec: { ttlSecondsAfterFinished: 0 } })
  await running.advance("1s")
  expect(await isDeleted(running)).toBe(true)
})

test("even when the cache does not show it: the server refuses to delete another version than the one that was looked at", async () => {
  const late = held("/jobs")
  const writes: string[] = []
  await using running = await start(60, { layer: (inner) => noting(writes)(late.layer(inner)) })
  late.hold()
  await running.client.patch(jobs, "default/work", { spec: { ttlSecondsAfterFinished: 600 } })
  writes.length = 0
  await running.advance("2m")
  expect(await isDeleted(running)).toBe(false)
  // Tried again less and less often.
  expect(writes.filter((write) => write.startsWith("DELETE")).length).toBeLessThan(20)
  late.release()
  await running.advance("5m")
  expect(await isDeleted(running)).toBe(false)
})

test("it takes one write, even when events come twice", async () => {
  const writes: string[] = []
  await using running = await start(60, { layer: (inner) => noting(writes)(doubling()(inner)) })
  await running.advance("10m")
  expect(await isDeleted(running)).toBe(true)
  expect(writes.filter((write) => write.startsWith("DELETE"))).toHaveLength(1)
})

test("whichever API call the controllers crash at, the Job is deleted", async () => {
  const scenario = {
    cluster: { controllers: ["job", "ttl-after-finished"] },
    run: async (running: Cluster) => {
      await running.apply(work({ ttlSecondsAfterFinished: 30 }))
      await running.advance("40s")
      await endAll(running)
      await running.advance("2m")
    },
    end: isDeleted,
  }
  expect((await crashPoints(scenario, { sample: 10, seed: 3, writers: ["ttl-after-finished-controller"] })).tried).toBe(10)
})
