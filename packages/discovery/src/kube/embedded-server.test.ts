import type { Pod } from "@pilothouse/api/core/v1"
import { pods } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { PilothouseError, seededRandom, silentLog, type Transport } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { AggregateRegistry } from "../aggregate/aggregate-registry.ts"
import { kubeService } from "../testing/kube-objects.ts"
import { KubeRegistry } from "./kube-registry.ts"

const host = "web.default.svc.cluster.local"

function deployment(replicas: number) {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template },
  } as const
}

function addressesOf(all: readonly Pod[]): readonly string[] {
  return all.flatMap(({ status }) => status?.podIP ?? []).sort()
}

for (const endpoints of ["slices", "endpoints"] as const)
  test(`on the embedded server, a Deployment that is scaled is followed by its ${endpoints}`, async () => {
    await using c = await cluster({ nodes: 2, controllers: ["deployment", "replicaset", "endpoints", "endpointslice"] })
    const registry = new KubeRegistry({ client: c.client, clock: c.clock, random: seededRandom(1), log: silentLog, endpoints })
    const stopping = new AbortController()
    const running = registry.run(stopping.signal)
    const found = () =>
      registry
        .endpoints(host)
        .map(({ addresses }) => addresses[0]!)
        .sort()
    await c.apply(kubeService("default/web", { clusterIP: undefined, selector: { app: "web" } }))
    for (const replicas of [3, 1, 0, 2]) {
      await c.apply(deployment(replicas))
      await c.advance("1m")
      expect([found().length, found()]).toEqual([replicas, addressesOf(await c.list(pods, { labelSelector: "app=web" }))])
    }
    expect(registry.endpoints(host)[0]).toMatchObject({
      workload: "web",
      identity: "spiffe://cluster.local/ns/default/sa/default",
      portName: "http",
      port: 8080,
    })
    expect(registry.getService(host)?.addresses.Kubernetes).toHaveLength(1)
    stopping.abort()
    await c.settled()
    await running
  })

test("two embedded servers are merged; one goes away, which changes nothing, and comes back with what happened meanwhile", async () => {
  const controllers = ["deployment", "replicaset", "endpointslice"]
  await using east = await cluster({ nodes: 1, controllers, seed: 1 })
  await using west = await cluster({ nodes: 1, controllers, seed: 2 })
  let away = new AbortController()
  // A client that is cut off loses its requests in flight, and is refused afterwards.
  const transport: Transport = (request) => {
    if (away.signal.aborted) return Promise.reject(new PilothouseError("CONNECTION_LOST", "gone"))
    return west.transport({ ...request, signal: AbortSignal.any([away.signal, ...(request.signal === undefined ? [] : [request.signal])]) })
  }
  const all = new AggregateRegistry({ log: silentLog })
  const seams = { random: seededRandom(1), log: silentLog }
  all.add(new KubeRegistry({ ...seams, client: east.client, clock: east.clock, cluster: "east" }))
  all.add(new KubeRegistry({ ...seams, client: createClient(transport), clock: west.clock, cluster: "west" }))
  const stopping = new AbortController()
  const running = all.run(stopping.signal)
  const pass = async () => {
    await east.advance("2m")
    await west.advance("2m")
  }
  const clusters = () => all.endpoints(host).map((endpoint) => endpoint.cluster)
  for (const one of [east, west]) {
    await one.apply(kubeService("default/web", { clusterIP: undefined, selector: { app: "web" } }))
    await one.apply(deployment(1))
  }
  await pass()
  expect([clusters(), Object.keys(all.getService(host)?.addresses ?? {})]).toEqual([
    ["east", "west"],
    ["east", "west"],
  ])
  away.abort()
  await pass()
  await west.apply(deployment(3))
  await pass()
  expect(clusters()).toEqual(["east", "west"])
  away = new AbortController()
  await west.advance("10m")
  expect(clusters()).toEqual(["east", "west", "west", "west"])
  stopping.abort()
  await east.settled()
  await west.settled()
  await running
})
