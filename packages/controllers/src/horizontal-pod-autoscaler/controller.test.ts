import { conflict } from "@pilothouse/api"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { type HorizontalPodAutoscaler, type HorizontalPodAutoscalerSpec, horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { events, namespaces, pods } from "@pilothouse/api/core/v1"
import type { Transport } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { doubling, held, noting, refusing } from "../replicaset/test-layers.ts"
import { type ScriptedMetrics, scriptedMetrics } from "./test-metrics.ts"

const loops = ["horizontal-pod-autoscaler", "deployment", "replicaset"]

interface Stage {
  readonly running: Cluster
  readonly metrics: ScriptedMetrics
}

async function start(options: ClusterOptions = {}): Promise<Stage & AsyncDisposable> {
  const metrics = scriptedMetrics()
  const running = await cluster({ controllers: loops, extensions: metrics.extensions, ...options })
  metrics.attach(running)
  return { running, metrics, [Symbol.asyncDispose]: () => running.close() }
}

function web(replicas: number, name = "web", namespace = "default"): Deployment {
  const container = { name: "web", image: "example/web:1", resources: { requests: { cpu: "100m" } } }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
    },
  }
}

function cpu(averageUtilization: number) {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } }
}

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }

function scaler(spec: Partial<HorizontalPodAutoscalerSpec> = {}, name = "web", namespace = "default"): HorizontalPodAutoscaler {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace },
    spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 10, metrics: [cpu(50)], ...spec },
  }
}

async function size(running: Cluster, name = "web"): Promise<number | undefined> {
  return (await running.client.get(deployments, `default/${name}`)).spec?.replicas
}

function get(running: Cluster, name = "web"): Promise<HorizontalPodAutoscaler> {
  return running.client.get(horizontalPodAutoscalers, `default/${name}`)
}

/** "AbleToScale=True/ReadyForNewScale" by type. */
async function conditions(running: Cluster, name = "web"): Promise<Readonly<Record<string, string>>> {
  const { status } = await get(running, name)
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: holds, reason }) => [type, `${holds}/${reason}`]))
}

async function told(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(events)
  return all
    .filter(({ involvedObject }) => involvedObject.kind === "HorizontalPodAutoscaler")
    .map(({ reason, source, message }) => `${source?.component} ${reason}: ${message}`)
}

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

  test("one that somebody set to zero is let be", async () => {
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
  test("every 15 s; its own status does not wake it; a change of its spec does, at once", async () => {
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
    // The transport tries an answer of 500 again on its own; the loop does not.
    expect(running.trace.entries().filter(({ controller }) => controller.startsWith("horizontal")).length).toBeLessThanOrEqual(9)
    expect((await conditions(running)).ScalingActive).toBe("False/FailedGetResourceMetric")
    metrics.broken = false
    await running.advance("15s")
    expect(await size(running)).toBe(4)
    expect((await conditions(running)).ScalingActive).toBe("True/ValidMetricFound")
  })

  test("no custom metrics API at all", async () => {
    await using running = await cluster({ controllers: loops })
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

  test("somebody who changes the target between the look and the write does not stand in the way (HPARescaleWithSuccessfulConflictRetry)", async () => {
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

  test("a conflict in the status is told, and mended by the next look", async () => {
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
    await using stage = await start({ controllers: [...loops, "namespace"] })
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

test("whichever API call the loops crash at, the end is the same", async () => {
  const metrics = scriptedMetrics()
  const scenario = {
    cluster: { controllers: loops, extensions: metrics.extensions },
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
  const { calls, tried } = await crashPoints(scenario, { sample: 10, seed: 7 })
  expect(tried).toBe(10)
  expect(calls).toBeGreaterThan(50)
})
