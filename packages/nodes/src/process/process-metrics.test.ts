import type { KubeObject } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import type { ProcessUse, SpawnProcess } from "./system/spawn.ts"
import { fakeHost } from "./testing/spawn.ts"

const mebi = 2 ** 20

/** A host whose processes use so many cores, and 50 MiB. */
function measuringHost(cores: () => number) {
  const host = fakeHost()
  let clock: Cluster["clock"] | undefined
  const spawn: SpawnProcess = async (call, listener) => {
    const running = await host.spawn(call, listener)
    const startedAt = clock!.now()
    const used = (): ProcessUse => ({ cpu: (cores() * (clock!.now() - startedAt)) / 1000, memory: 50 * mebi })
    return { ...running, signal: (name) => running.signal(name), used }
  }
  return { host: { ...host, spawn }, tell: (of: Cluster["clock"]) => void (clock = of) }
}

function web(annotations?: Record<string, string>): KubeObject {
  const labels = { app: "web" }
  const container = { name: "web", image: "process", command: ["serve"], resources: { requests: { cpu: "500m" } } }
  const template = { metadata: { labels, annotations }, spec: { containers: [container] } }
  const spec = { replicas: 1, selector: { matchLabels: labels }, template }
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "default" }, spec } as KubeObject
}

const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "default" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 1,
    maxReplicas: 5,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
  },
} as KubeObject

async function usage({ transport }: Cluster): Promise<readonly unknown[]> {
  const { body } = await transport({ verb: "GET", path: "/apis/metrics.k8s.io/v1beta1/pods", query: {}, headers: {} })
  const { items } = (body as { readonly value: { readonly items: readonly { containers: readonly { usage: unknown }[] }[] } }).value
  return items.map(({ containers }) => containers[0]?.usage)
}

test("metrics of a process are what it uses, and an autoscaler sees its load", async () => {
  let cores = 0.1
  const { host, tell } = measuringHost(() => cores)
  await using running = await cluster({ controllers: ["deployment", "replicaset", "horizontalpodautoscaling"], exec: host })
  tell(running.clock)
  await running.apply(web())
  await running.advance("10s")
  expect(await usage(running)).toEqual([{ cpu: "100m", memory: `${50 * 1024}Ki` }])
  await running.apply(autoscaler)
  cores = 1
  await running.advance("5m")
  expect((await running.client.get(deployments, "default/web")).spec?.replicas).toBeGreaterThan(1)
  expect((await running.list(pods)).length).toBeGreaterThan(1)
})

test("what an annotation says of it goes before", async () => {
  const { host, tell } = measuringHost(() => 0.1)
  await using running = await cluster({ controllers: ["deployment", "replicaset"], exec: host })
  tell(running.clock)
  await running.apply(web({ "pilothouse.dev/cpu": "300m" }))
  await running.advance("10s")
  expect(await usage(running)).toEqual([{ cpu: "300m", memory: `${50 * 1024}Ki` }])
})
