import { type HorizontalPodAutoscalerSpec, horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { describe, expect, test } from "vitest"
import { noting } from "../testing/layers.ts"
import { conditions, get, scaler, size, start, told, web } from "./testing/cluster.ts"
import type { ScriptedMetrics } from "./testing/metrics.ts"

describe("a Deployment follows its CPU", () => {
  test("up at once, by at most twice as many; down after five minutes", async () => {
    await using stage = await start()
    const { running, metrics } = stage
    metrics.cpu = () => 100
    await running.apply(web(2))
    await running.advance("10m")
    await running.apply(scaler())
    await running.settled()
    expect(await size(running)).toBe(4)
    expect(await told(running)).toContain(
      "horizontal-pod-autoscaler SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target",
    )
    metrics.cpu = () => 20
    await running.advance("4m")
    expect(await size(running)).toBe(4)
    expect((await conditions(running)).AbleToScale).toBe("True/ScaleDownStabilized")
    await running.advance("2m")
    expect(await size(running)).toBe(2)
    expect((await get(running)).status).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 2,
      lastScaleTime: expect.any(String),
      currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 20, averageValue: "20m" } } }],
    })
  })

  test("within its bounds", async () => {
    await using stage = await start()
    const { running, metrics } = stage
    metrics.cpu = () => 1000
    await running.apply(web(2))
    await running.apply(scaler({ maxReplicas: 3 }))
    await running.advance("6m")
    expect(await size(running)).toBe(3)
    expect((await conditions(running)).ScalingLimited).toBe("True/TooManyReplicas")
    await running.client.patch(horizontalPodAutoscalers, "default/web", { spec: { maxReplicas: 2 } })
    await running.settled()
    expect(await size(running)).toBe(2)
    expect((await told(running)).join()).toContain("New size: 2; reason: Current number of replicas above Spec.MaxReplicas")
  })

  test("one that a user scaled to zero is left alone", async () => {
    await using stage = await start()
    const { running, metrics } = stage
    metrics.cpu = () => 1000
    await running.apply(web(0))
    await running.apply(scaler())
    await running.advance("10m")
    expect(await size(running)).toBe(0)
    expect((await conditions(running)).ScalingActive).toBe("False/ScalingDisabled")
    expect(metrics.asked).toEqual([])
  })

  test("a behaviour sets the pace", async () => {
    await using stage = await start()
    const { running, metrics } = stage
    metrics.cpu = () => 500
    await running.apply(web(2))
    await running.advance("10m")
    const scaleUp = { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] }
    await running.apply(scaler({ behavior: { scaleUp } }))
    await running.settled()
    expect(await size(running)).toBe(3)
    await running.advance("59s")
    expect(await size(running)).toBe(3)
    expect((await conditions(running)).ScalingLimited).toBe("True/ScaleUpLimit")
    await running.advance("16s")
    expect(await size(running)).toBe(4)
  })
})

describe("other metrics", () => {
  async function grown(metric: NonNullable<HorizontalPodAutoscalerSpec["metrics"]>[number], change: (metrics: ScriptedMetrics) => void) {
    await using stage = await start()
    change(stage.metrics)
    await stage.running.apply(web(2))
    await stage.running.settled()
    await stage.running.apply(scaler({ metrics: [metric] }))
    await stage.running.settled()
    return { size: await size(stage.running), metrics: (await get(stage.running)).status?.currentMetrics, asked: stage.metrics.asked }
  }

  test("of a container", async () => {
    const containerResource = { name: "cpu", container: "web", target: { type: "AverageValue", averageValue: "100m" } }
    const grew = await grown({ type: "ContainerResource", containerResource }, (metrics) => {
      metrics.cpu = () => 150
    })
    // The pods have just started: what they use of CPU says nothing yet.
    expect(grew.size).toBe(2)
  })

  test("of pods", async () => {
    const grew = await grown(
      { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "10" } } },
      (metrics) => metrics.values.set("qps", 15_000),
    )
    expect(grew.size).toBe(3)
    expect(grew.metrics).toEqual([{ type: "Pods", pods: { metric: { name: "qps" }, current: { averageValue: "15" } } }])
    expect(grew.asked).toEqual(["/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/qps"])
  })

  test("of pods, from a server that knows only the older version", async () => {
    const grew = await grown(
      { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "10" } } },
      (metrics) => {
        metrics.values.set("qps", 15_000)
        metrics.version = "v1beta1"
      },
    )
    expect(grew.size).toBe(3)
  })

  test("of an object", async () => {
    const describedObject = { apiVersion: "v1", kind: "Service", name: "web" }
    const object = { describedObject, metric: { name: "qps" }, target: { type: "Value", value: "10" } }
    const grew = await grown({ type: "Object", object }, (metrics) => metrics.values.set("services/web/qps", 20_000))
    expect(grew.size).toBe(4)
    expect(grew.asked).toEqual(["/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/services/web/qps"])
  })

  test("of the namespace", async () => {
    const describedObject = { apiVersion: "v1", kind: "Namespace", name: "default" }
    const object = { describedObject, metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "5" } }
    const grew = await grown({ type: "Object", object }, (metrics) => metrics.values.set("metrics/qps", 20_000))
    expect(grew.size).toBe(4)
  })

  test("from outside", async () => {
    const external = {
      metric: { name: "queue", selector: { matchLabels: { of: "mail" } } },
      target: { type: "AverageValue", averageValue: "30" },
    }
    const grew = await grown({ type: "External", external }, (metrics) => metrics.values.set("queue", 90_000))
    expect(grew.size).toBe(3)
    expect(grew.asked).toEqual(["/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue"])
  })
})

describe("when it looks", () => {
  test("every 15 s; its own status is ignored; a change of its spec is reconciled at once", async () => {
    await using stage = await start()
    const { running, metrics } = stage
    metrics.cpu = () => 30
    await running.apply(web(2))
    await running.advance("10m")
    await running.apply(scaler())
    await running.settled()
    expect(metrics.asked).toHaveLength(1)
    await running.advance("14s")
    expect(metrics.asked).toHaveLength(1)
    await running.advance("1m")
    expect(metrics.asked).toHaveLength(5)
    await running.client.patch(horizontalPodAutoscalers, "default/web", { spec: { maxReplicas: 7 } })
    await running.settled()
    expect(metrics.asked).toHaveLength(6)
    await running.client.patch(horizontalPodAutoscalers, "default/web", { metadata: { labels: { seen: "yes" } } })
    await running.settled()
    expect(metrics.asked).toHaveLength(6)
  })

  test("writes nothing while nothing changes, and two things for a new size", async () => {
    const writes: string[] = []
    await using stage = await start({ layer: noting(writes) })
    const { running, metrics } = stage
    metrics.cpu = () => 50
    await running.apply(web(2))
    await running.advance("10m")
    await running.apply(scaler())
    await running.settled()
    const own = () => writes.filter((write) => write.includes("horizontalpodautoscalers/") || write.endsWith("/scale"))
    expect(own()).toEqual(["PUT /apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web/status"])
    await running.advance("1h")
    expect(own()).toHaveLength(1)
    metrics.cpu = () => 100
    await running.advance("15s")
    expect(own().slice(1)).toEqual([
      "PUT /apis/apps/v1/namespaces/default/deployments/web/scale",
      "PUT /apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web/status",
    ])
  })
})
