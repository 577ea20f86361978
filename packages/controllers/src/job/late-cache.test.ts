import { jobs } from "@pilothouse/api/batch/v1"
import { pods } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { held, noting } from "../testing/layers.ts"
import { end, statusOf, work } from "./testing/cluster.ts"

/** In place of upstream's expectations: a reconcile waits until the cache shows the controller's own writes. */
describe("ControllerSyncJob, while the cache of pods is behind", () => {
  test("job failures, unsatisfied expectations: nothing is made, counted or ended; then the failure is counted once", async () => {
    const late = held("pods")
    await using running = await cluster({ controllers: ["job"], layer: late.layer })
    await running.settled()
    late.hold()
    await running.apply(work({ parallelism: 2, completions: 5, backoffLimit: 6 }))
    await running.advance("2s")
    const [first] = await running.list(pods)
    await end(running, first!, 1)
    await running.client.patch(jobs, "default/work", { spec: { parallelism: 3 } })
    await running.advance("10s")
    expect(await running.list(pods)).toHaveLength(2)
    expect((await statusOf(running)).failed).toBeUndefined()
    late.release()
    await running.advance("5s")
    expect(await statusOf(running)).toMatchObject({ failed: 1, uncountedTerminatedPods: {} })
    await running.advance("1m")
    expect(await statusOf(running)).toMatchObject({ failed: 1, active: 3 })
  })

  test("suspending a job with unsatisfied expectations: no pod is deleted before the cache shows the deletion before it", async () => {
    const late = held("pods")
    const writes: string[] = []
    await using running = await cluster({ controllers: ["job"], layer: (inner) => noting(writes, "job-controller")(late.layer(inner)) })
    await running.apply(work({ parallelism: 3, completions: 4 }))
    await running.advance("3s")
    expect((await statusOf(running)).active).toBe(3)
    late.hold()
    writes.length = 0
    const deletions = () => writes.filter((write) => write.startsWith("DELETE") && write.includes("/pods/")).length
    await running.client.patch(jobs, "default/work", { spec: { parallelism: 2 } })
    await running.advance("2s")
    expect(deletions()).toBe(1)
    await running.client.patch(jobs, "default/work", { spec: { suspend: true } })
    await running.advance("10s")
    expect(deletions()).toBe(1)
    late.release()
    await running.advance("5s")
    expect([deletions(), await running.list(pods)]).toEqual([3, []])
  })
})
