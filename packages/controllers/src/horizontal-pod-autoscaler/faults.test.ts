import { conflict } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { namespaces, pods } from "@pilothouse/api/core/v1"
import { describePlan } from "@pilothouse/runtime"
import type { Transport } from "@pilothouse/seams"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { doubling, held, noting, refusing } from "../testing/layers.ts"
import { conditions, controllers, scaler, size, start, told, web } from "./testing/cluster.ts"
import { scriptedMetrics } from "./testing/metrics.ts"

describe("what goes wrong", () => {
  test("no metrics API: a condition and events, and a try every 15 s", async () => {
    const writes: string[] = []
    await using stage = await start({ layer: noting(writes) })
    const { running, metrics } = stage
    await running.apply(web(2))
    await running.apply(scaler())
    await running.advance("10m")
    expect(await conditions(running)).toMatchObject({
      AbleToScale: "True/SucceededGetScale",
      ScalingActive: "False/FailedGetResourceMetric",
    })
    expect(metrics.asked.length).toBeLessThanOrEqual(41)
    expect(writes.filter((write) => write.endsWith("horizontalpodautoscalers/web/status")).length).toBeLessThanOrEqual(3)
    const said = (await told(running)).join("\n")
    expect(said).toContain(
      "FailedGetResourceMetric: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: ",
    )
    expect(said).toContain(
      "FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ",
    )
    expect(await size(running)).toBe(2)
  })

  test("a metrics API that answers 500 is not hammered, and its coming back is noticed", async () => {
    await using stage = await start()
    const { running, metrics } = stage
    metrics.cpu = () => 100
    metrics.broken = true
    await running.apply(web(2))
    await running.advance("10m")
    metrics.asked.length = 0
    await running.apply(scaler())
    await running.advance("2m")
    // The transport tries an answer of 500 again on its own; the controller does not.
    expect(running.trace.entries().filter(({ controller }) => controller.startsWith("horizontal")).length).toBeLessThanOrEqual(9)
    expect((await conditions(running)).ScalingActive).toBe("False/FailedGetResourceMetric")
    metrics.broken = false
    await running.advance("15s")
    expect(await size(running)).toBe(4)
    expect((await conditions(running)).ScalingActive).toBe("True/ValidMetricFound")
  })

  test("no custom metrics API at all", async () => {
    await using running = await cluster({ controllers })
    await running.apply(web(2))
    const target = { type: "AverageValue", averageValue: "1" }
    await running.apply(scaler({ metrics: [{ type: "Pods", pods: { metric: { name: "qps" }, target } }] }))
    await running.settled()
    expect((await conditions(running)).ScalingActive).toBe("False/FailedGetPodsMetric")
    expect((await told(running)).join()).toContain(
      "FailedGetPodsMetric: unable to get metric qps: unable to fetch metrics from custom metrics API: ",
    )
  })

  test("a target that does not exist, and one of a kind that does not", async () => {
    await using stage = await start()
    const { running } = stage
    await running.apply(scaler())
    await running.apply(scaler({ scaleTargetRef: { apiVersion: "example.com/v1", kind: "Nothing", name: "web" } }, "odd"))
    await running.advance("10m")
    expect((await conditions(running)).AbleToScale).toBe("False/FailedGetScale")
    const said = (await told(running)).join("\n")
    expect(said).toContain('FailedGetScale: deployments.apps "web" not found')
    expect(said).toContain('FailedGetScale: no matches for kind "Nothing" in group "example.com"')
    const looks = running.trace.entries().filter(({ controller, key }) => controller.startsWith("horizontal") && key === "default/web")
    expect(looks.length).toBeLessThanOrEqual(41)
    expect(describePlan(looks.at(-1)!.plan!)[0]).toBe(
      `cannot go on: the HPA controller was unable to get the target's current scale: deployments.apps "web" not found`,
    )
    await running.apply(web(1))
    await running.advance("15s")
    expect((await conditions(running)).AbleToScale).toMatch("True/")
  })

  test("a target without scales", async () => {
    await using stage = await start()
    await stage.running.apply(scaler({ scaleTargetRef: { apiVersion: "v1", kind: "ConfigMap", name: "kube-root-ca.crt" } }))
    await stage.running.settled()
    expect((await conditions(stage.running)).AbleToScale).toBe("False/FailedGetScale")
  })

  test("two autoscalers for one target: neither does anything", async () => {
    await using stage = await start()
    const { running, metrics } = stage
    metrics.cpu = () => 50
    await running.apply(web(2))
    await running.advance("10m")
    await running.apply(scaler({}, "one"))
    await running.apply(scaler({ minReplicas: 2 }, "two"))
    await running.advance("1m")
    metrics.cpu = () => 500
    await running.advance("1m")
    expect(await size(running)).toBe(2)
    expect((await conditions(running, "one")).ScalingActive).toBe("False/AmbiguousSelector")
    expect((await conditions(running, "two")).ScalingActive).toBe("False/AmbiguousSelector")
    expect(await told(running)).toContain(
      "horizontal-pod-autoscaler AmbiguousSelector: pods by selector app=web are controlled by multiple HPAs: [default/one default/two]",
    )
    await running.client.delete(horizontalPodAutoscalers, "default/two")
    await running.advance("15s")
    expect(await size(running)).toBe(4)
  })

  test("a change of the target between read and write does not prevent the scaling (HPARescaleWithSuccessfulConflictRetry)", async () => {
    const layer =
      (inner: Transport): Transport =>
      async (request) => {
        if (request.verb === "PUT" && request.path.endsWith("/scale"))
          await stage.running.client.patch(deployments, "default/web", { metadata: { labels: { edited: "yes" } } })
        return inner(request)
      }
    await using stage = await start({ layer })
    const { running, metrics } = stage
    metrics.cpu = () => 100
    await running.apply(web(2))
    await running.advance("10m")
    await running.apply(scaler())
    await running.settled()
    expect((await running.client.get(deployments, "default/web")).metadata.labels).toEqual({ edited: "yes" })
    expect(await size(running)).toBe(4)
    expect((await conditions(running)).AbleToScale).toBe("True/SucceededRescale")
  })

  test("a scale that is refused: FailedRescale, and another try after 15 s", async () => {
    let tries = 0
    const layer = refusing(({ verb, path }) =>
      verb === "PUT" && path.endsWith("/scale") && ++tries < 3 ? conflict(deployments, "web", "it changed") : undefined,
    )
    await using stage = await start({ layer })
    const { running, metrics } = stage
    metrics.cpu = () => 100
    await running.apply(web(2))
    await running.advance("10m")
    await running.apply(scaler())
    await running.settled()
    expect((await conditions(running)).AbleToScale).toBe("False/FailedUpdateScale")
    expect((await told(running)).join()).toContain(
      "FailedRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target; error: ",
    )
    await running.advance("31s")
    expect(tries).toBe(3)
    expect(await size(running)).toBe(4)
  })

  test("a conflict in the status is reported, and corrected by the next reconcile", async () => {
    let tries = 0
    const layer = refusing(({ verb, path }) =>
      verb === "PUT" && path.endsWith("horizontalpodautoscalers/web/status") && ++tries < 2
        ? conflict(horizontalPodAutoscalers, "web", "it changed")
        : undefined,
    )
    await using stage = await start({ layer })
    const { running, metrics } = stage
    metrics.cpu = () => 50
    await running.apply(web(2))
    await running.advance("10m")
    await running.apply(scaler())
    await running.settled()
    expect((await told(running)).join()).toContain("FailedUpdateStatus")
    await running.advance("15s")
    expect((await conditions(running)).ScalingActive).toBe("True/ValidMetricFound")
  })

  test("pods that the cache does not show yet are not counted twice", async () => {
    const late = held("pods")
    await using stage = await start({ layer: late.layer })
    const { running, metrics } = stage
    metrics.cpu = () => 100
    await running.apply(web(2))
    await running.advance("10m")
    late.hold()
    await running.apply(scaler())
    await running.advance("1m")
    // Two pods of which the cache knows ask for four; samples of pods that it does not know ask for nothing.
    expect(await size(running)).toBe(4)
    late.release()
    await running.advance("10m")
    expect(await size(running)).toBe(10)
  })

  test("events that come twice change nothing", async () => {
    await using stage = await start({ layer: doubling() })
    const { running, metrics } = stage
    metrics.cpu = () => 100
    await running.apply(web(2))
    await running.advance("10m")
    await running.apply(scaler({ maxReplicas: 4 }))
    await running.advance("1m")
    expect(await size(running)).toBe(4)
  })

  test("a namespace that goes away takes its autoscaler with it", async () => {
    await using stage = await start({ controllers: [...controllers, "namespace"] })
    const { running, metrics } = stage
    metrics.cpu = () => 100
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } })
    await running.apply(web(2, "web", "leaving"))
    await running.apply(scaler({}, "web", "leaving"))
    await running.advance("1m")
    await running.client.delete(namespaces, "leaving")
    await running.advance("2m")
    metrics.asked.length = 0
    await running.advance("2m")
    expect(await running.list(horizontalPodAutoscalers)).toEqual([])
    expect(metrics.asked).toEqual([])
    expect(await running.list(pods)).toEqual([])
  })
})

test("whichever API call the controllers crash at, the end is the same", async () => {
  const metrics = scriptedMetrics()
  const scenario = {
    cluster: { controllers, extensions: metrics.extensions },
    async run(running: Cluster) {
      metrics.attach(running)
      metrics.cpu = () => 100
      await running.apply(web(2))
      await running.advance("6m")
      await running.apply(scaler({ maxReplicas: 4 }))
      await running.advance("30s")
      metrics.cpu = () => 20
      await running.advance("20m")
    },
  }
  const { calls, tried } = await crashPoints(scenario, { sample: 10, seed: 7, writers: ["horizontal-pod-autoscaler-controller"] })
  expect(tried).toBe(10)
  expect(calls).toBeGreaterThan(50)
})
