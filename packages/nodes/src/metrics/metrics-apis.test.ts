import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import type { HorizontalPodAutoscaler, MetricSpec } from "@pilothouse/api/autoscaling/v2"
import { namespaces, nodes, type Pod } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"

function pod(name: string, annotations: Readonly<Record<string, string>> = {}, containers = ["main"]): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, annotations, labels: { app: name } },
    spec: { containers: containers.map((called) => ({ name: called, image: "web" })) },
  }
}

async function ask(running: Cluster, path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { body } = await running.transport({ verb: "GET", path, query, headers: {} })
  if (body.type === "value") return JSON.parse(JSON.stringify(body.value))
  return body.type === "bytes" ? JSON.parse(new TextDecoder().decode(body.bytes)) : expect.fail("a stream")
}

const inDefault = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods"

describe("metrics.k8s.io", () => {
  async function start(): Promise<Cluster> {
    const running = await cluster({ controllers: [] })
    await running.apply(pod("busy", { "pilothouse.dev/cpu": "0s=100m,60s=900m", "pilothouse.dev/memory.main": "64Mi" }))
    await running.apply(pod("idle", {}, ["main", "side"]))
    await running.advance("30s")
    return running
  }

  test("a pod uses what its annotations say, and little where they say nothing", async () => {
    await using running = await start()
    expect(await ask(running, `${inDefault}/busy`)).toMatchObject({
      kind: "PodMetrics",
      apiVersion: "metrics.k8s.io/v1beta1",
      metadata: { name: "busy", namespace: "default" },
      timestamp: "2026-01-05T09:00:30Z",
      window: "30s",
      containers: [{ name: "main", usage: { cpu: "500m", memory: "65536Ki" } }],
    })
    expect(await ask(running, inDefault, { labelSelector: "app=idle" })).toMatchObject({
      kind: "PodMetricsList",
      items: [{ metadata: { name: "idle" }, containers: [{ usage: { cpu: "1m", memory: "1024Ki" } }, { name: "side" }] }],
    })
    expect(await ask(running, "/apis/metrics.k8s.io/v1beta1/pods")).toMatchObject({ items: { length: 2 } })
  })

  test("a node uses what its pods do", async () => {
    await using running = await start()
    const node = { metadata: { name: "node-1" }, usage: { cpu: "502m", memory: "67584Ki" } }
    expect(await ask(running, "/apis/metrics.k8s.io/v1beta1/nodes")).toMatchObject({ kind: "NodeMetricsList", items: [node] })
    expect(await ask(running, "/apis/metrics.k8s.io/v1beta1/nodes/node-1")).toMatchObject({ kind: "NodeMetrics", ...node })
    expect(await ask(running, "/apis/metrics.k8s.io/v1beta1/nodes", { labelSelector: "x=y" })).toMatchObject({ items: [] })
  })

  test("what does not run has no usage", async () => {
    await using running = await cluster({ controllers: [] })
    await running.apply(pod("half", { "pilothouse.dev/alive.side": "0s=true,5s=false" }, ["main", "side"]))
    await running.apply(pod("starts", { "pilothouse.dev/start-time": "1h" }))
    // One of its containers runs, and it is Pending for the other.
    await running.apply(pod("pending", { "pilothouse.dev/pull-error.side": "true" }, ["main", "side"]))
    await running.advance("12s")
    const half = { metadata: { name: "half" }, containers: [{ name: "main" }] }
    expect(await ask(running, inDefault)).toMatchObject({ items: [half] })
    expect(await ask(running, `${inDefault}/starts`)).toMatchObject({ code: 404 })
    await running.client.patch(nodes, "node-1", { metadata: { annotations: { "pilothouse.dev/paused": "true" } } })
    const lost = { status: { conditions: [{ type: "Ready", status: "Unknown" }] } }
    await running.client.patch(nodes, "node-1", lost, { subresource: "status", type: "strategic" })
    expect(await ask(running, "/apis/metrics.k8s.io/v1beta1/nodes")).toMatchObject({ items: [] })
    expect(await ask(running, "/apis/metrics.k8s.io/v1beta1/nodes/node-1")).toMatchObject({ code: 404 })
  })

  test("of several nodes each has its own; a pod that has ended uses nothing; labels and fields choose", async () => {
    await using running = await cluster({ controllers: [], nodes: 2 })
    const on = (name: string, node: string, cpu: string): Pod => {
      const made = pod(name, { "pilothouse.dev/cpu": cpu })
      return { ...made, spec: { ...made.spec!, nodeName: node } }
    }
    await running.apply(on("a", "node-1", "250m"))
    await running.apply(on("b", "node-2", "1234567n"))
    const done = pod("done", { "pilothouse.dev/run-time": "1s" })
    await running.apply({ ...done, spec: { ...done.spec!, nodeName: "node-2", restartPolicy: "Never" } })
    await running.advance("10s")
    expect(await ask(running, "/apis/metrics.k8s.io/v1beta1/nodes")).toMatchObject({
      items: [
        { metadata: { name: "node-1", labels: { "kubernetes.io/hostname": "node-1" } }, usage: { cpu: "250m" } },
        { metadata: { name: "node-2" }, usage: { cpu: "1234567n" } },
      ],
    })
    expect(await ask(running, "/apis/metrics.k8s.io/v1beta1/nodes/node-2")).toMatchObject({ usage: { cpu: "1234567n" } })
    expect(await ask(running, inDefault, { fieldSelector: "metadata.name=b" })).toMatchObject({
      items: [{ metadata: { name: "b", labels: { app: "b" } } }],
    })
    expect(await ask(running, inDefault)).toMatchObject({ items: { length: 2 } })
    expect(await ask(running, `${inDefault}/done`)).toMatchObject({ code: 404 })
  })

  test("nothing can be written there", async () => {
    await using running = await start()
    const { status } = await running.transport({ verb: "DELETE", path: `${inDefault}/busy`, query: {}, headers: {} })
    expect(status).toBe(405)
  })

  test.each([`${inDefault}/none`, "/apis/metrics.k8s.io/v1beta1/nodes/none", "/apis/metrics.k8s.io/v1beta1/cups"])(
    "%s is not there",
    async (path) => {
      await using running = await start()
      expect(await ask(running, path)).toMatchObject({ kind: "Status", code: 404, reason: "NotFound" })
    },
  )

  test("is found by discovery, as are the others", async () => {
    await using running = await start()
    const { groups } = (await ask(running, "/apis")) as { groups: readonly { name: string }[] }
    const names = groups.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"]))
    expect(await ask(running, "/apis/metrics.k8s.io/v1beta1")).toMatchObject({
      kind: "APIResourceList",
      resources: [{ name: "nodes" }, { name: "pods", namespaced: true, verbs: ["get", "list"] }],
    })
  })
})

describe("custom and external metrics", () => {
  const custom = "/apis/custom.metrics.k8s.io/v1beta2"
  async function start(): Promise<Cluster> {
    const running = await cluster({ controllers: [] })
    await running.apply(pod("web", { "custom.metrics.pilothouse.dev/qps": "0s=10,100s=20" }))
    await running.apply(pod("mute"))
    await running.apply(pod("other", { "custom.metrics.pilothouse.dev/cups": "3" }))
    await running.apply(pod("more", { "custom.metrics.pilothouse.dev/cups": "4" }))
    const annotations = { "custom.metrics.pilothouse.dev/users": "7", "external.metrics.pilothouse.dev/queue": "1500m" }
    await running.client.patch(namespaces, "default", {
      metadata: { annotations: { ...annotations, "external.metrics.pilothouse.dev/load": "0s=0,100s=8" } },
    })
    await running.client.patch(nodes, "node-1", { metadata: { annotations: { "custom.metrics.pilothouse.dev/heat": "60" } } })
    const scaled = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", annotations: { "custom.metrics.pilothouse.dev/errors": "2" } },
    }
    await running.apply({ ...scaled, spec: { replicas: 0, selector: { matchLabels: { app: "web" } }, template: pod("web") } } as Deployment)
    await running.advance("50s")
    return running
  }

  test.each([
    ["of every pod that has it", `${custom}/namespaces/default/pods/*/qps`, { describedObject: { kind: "Pod", name: "web" }, value: "15" }],
    ["of one pod", `${custom}/namespaces/default/pods/web/qps`, { metric: { name: "qps" }, value: "15" }],
    ["of a namespace", `${custom}/namespaces/default/metrics/users`, { describedObject: { kind: "Namespace" }, value: "7" }],
    [
      "of a kind with a group",
      `${custom}/namespaces/default/deployments.apps/web/errors`,
      { describedObject: { kind: "Deployment", name: "web" }, value: "2" },
    ],
    ["of something in no namespace", `${custom}/nodes/node-1/heat`, { describedObject: { kind: "Node", name: "node-1" }, value: "60" }],
    [
      "of something outside, over time",
      "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/load",
      { metricName: "load", value: "4" },
    ],
    [
      "of something outside, at once",
      "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue",
      { metricName: "queue", value: "1500m" },
    ],
  ])("%s", async (_name, path, item) => {
    await using running = await start()
    expect(await ask(running, path)).toMatchObject({ items: [item] })
  })

  test("of those that have the labels", async () => {
    await using running = await start()
    const path = `${custom}/namespaces/default/pods/*/cups`
    expect(await ask(running, path)).toMatchObject({ items: { length: 2 } })
    expect(await ask(running, path, { labelSelector: "app=more" })).toMatchObject({
      items: [{ describedObject: { name: "more" }, value: "4" }],
    })
  })

  test("a metric without objects is not found", async () => {
    await using running = await start()
    expect(await ask(running, `${custom}/namespaces/default/pods/*/other`)).toMatchObject({ code: 404 })
    expect(await ask(running, `${custom}/namespaces/default/cups/*/qps`)).toMatchObject({ code: 404 })
    expect(await ask(running, "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/other")).toMatchObject({ items: [] })
    for (const path of [
      `${custom}/namespaces/default/pods/unknown/qps`,
      `${custom}/namespaces/default/deployments/web/errors`,
      "/apis/external.metrics.k8s.io/v1beta1/namespaces/nowhere/queue",
    ])
      expect(await ask(running, path)).toMatchObject({
        kind: "Status",
        code: 404,
        reason: "NotFound",
        message: expect.stringContaining(".metrics.k8s.io"),
      })
  })

  test("one that changes by less than a whole, and a name that has to be written otherwise in a path", async () => {
    await using running = await start()
    await running.apply(pod("half", { "custom.metrics.pilothouse.dev/load": "0s=0,100s=1" }))
    await running.client.patch(nodes, "node-1", { metadata: { annotations: { "custom.metrics.pilothouse.dev/a_b.c": "1" } } })
    await running.advance("25s")
    expect(await ask(running, `${custom}/namespaces/default/pods/half/load`)).toMatchObject({ items: [{ value: "250m" }] })
    expect(await ask(running, `${custom}/nodes/node-1/a%5Fb.c`)).toMatchObject({ items: [{ metric: { name: "a_b.c" } }] })
  })
})

describe("an autoscaler", () => {
  const resource: MetricSpec = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
  const perPod: MetricSpec = { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "10" } } }

  test.each<[string, MetricSpec, Record<string, string>]>([
    ["by CPU", resource, { "pilothouse.dev/cpu": "100m" }],
    ["by a metric of pods", perPod, { "custom.metrics.pilothouse.dev/qps": "20" }],
  ])("scales %s", async (_name, metric, annotations) => {
    await using running = await cluster({ controllers: ["deployment", "replicaset", "horizontal-pod-autoscaler"] })
    const web: Deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" }, annotations },
          spec: { containers: [{ name: "web", image: "web", resources: { requests: { cpu: "100m" } } }] },
        },
      },
    }
    const scaler: HorizontalPodAutoscaler = {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web" },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 4, metrics: [metric] },
    }
    await running.apply(web)
    await running.apply(scaler)
    await running.advance("10m")
    expect((await running.client.get(deployments, "default/web")).spec?.replicas).toBe(4)
  })
})
