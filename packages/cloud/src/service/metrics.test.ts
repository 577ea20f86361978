import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { nodeSyncMetrics } from "./metrics.ts"

test("updates are counted, failed ones too, and a sync lasts until the last of them has ended", async () => {
  const clock = new VirtualClock()
  const metrics = memoryMetrics()
  const sync = nodeSyncMetrics(metrics, clock)
  const slow = sync.update(() => clock.sleep(3000))
  const quick = sync.update(async () => {
    await clock.sleep(1500)
    throw new Error("the cloud is full")
  })
  const ended = Promise.allSettled([slow, quick])
  await clock.run(ended)
  expect((await ended).map(({ status }) => status)).toEqual(["fulfilled", "rejected"])
  const text = metrics.text()
  for (const line of [
    "service_controller_loadbalancer_sync_total 2",
    "service_controller_nodesync_error_total 1",
    "service_controller_nodesync_latency_seconds_count 1",
    "service_controller_nodesync_latency_seconds_sum 3",
    "service_controller_update_loadbalancer_host_latency_seconds_count 2",
    "service_controller_update_loadbalancer_host_latency_seconds_sum 4.5",
  ])
    expect(text.split("\n")).toContain(line)
  expect(text).toContain('nodesync_latency_seconds_bucket{le="16384"} 1')
})
