import { internalError, type KubeObject } from "@pilothouse/api"
import { configMaps, pods, type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { doubling, noting, refusing } from "../testing/layers.ts"
import { configMap, pod, quota } from "./testing/quotas.ts"

const alone = { controllers: ["resourcequota"] }

async function start(hard: Record<string, string>, options: ClusterOptions = {}): Promise<Cluster> {
  const running = await cluster({ ...alone, ...options })
  await running.apply(quota({ hard }))
  await running.settled()
  return running
}

async function status(running: Cluster): Promise<ResourceQuota["status"]> {
  return (await running.client.get(resourceQuotas, "default/quota")).status
}

const used = async (running: Cluster) => (await status(running))?.used

test("a new quota is counted at once, and deleted objects are subtracted", async () => {
  await using running = await cluster(alone)
  await running.apply(pod("a", { cpu: "1" }))
  await running.settled()
  await running.apply(quota({ hard: { pods: "2", "requests.cpu": "2", "count/configmaps": "5", "count/deployments.apps": "1" } }))
  await running.settled()
  const limits = { pods: "2", "requests.cpu": "2", "count/configmaps": "5", "count/deployments.apps": "1" }
  const before = { "requests.cpu": "1", pods: "1", "count/configmaps": "0", "count/deployments.apps": "0" }
  expect(await status(running)).toEqual({ hard: limits, used: before })
  await running.client.delete(pods, "default/a")
  await running.advance("5s")
  expect(await used(running)).toEqual({ ...before, "requests.cpu": "0", pods: "0" })
})

test("what the API server counted when it let it in is not written again", async () => {
  const writes: string[] = []
  await using running = await start({ pods: "9" }, { layer: noting(writes) })
  writes.length = 0
  for (const name of ["a", "b", "c"]) await running.apply(pod(name))
  await running.advance("10m")
  expect(await used(running)).toEqual({ pods: "3" })
  expect(writes.filter((write) => write.includes("resourcequotas"))).toEqual([])
})

test("a finished pod is subtracted; a status change alone causes no reconcile", async () => {
  await using running = await start({ pods: "9" })
  await running.apply(pod("a"))
  await running.advance("2s")
  const looks = () => running.trace.entries().filter(({ controller }) => controller === "resourcequota-controller").length
  const before = looks()
  await running.client.patch(pods, "default/a", { status: { message: "fine" } }, { subresource: "status" })
  await running.advance("2s")
  expect(looks()).toBe(before)
  await running.client.patch(pods, "default/a", { status: { phase: "Succeeded" } }, { subresource: "status" })
  await running.advance("100ms")
  expect(await used(running)).toEqual({ pods: "0" })
})

test("a limit that is changed, added or taken away", async () => {
  await using running = await start({ pods: "9" })
  await running.apply(configMap("a"))
  await running.client.patch(resourceQuotas, "default/quota", { spec: { hard: { pods: null, configmaps: "3" } } })
  await running.settled()
  expect(await status(running)).toEqual({ hard: { configmaps: "3" }, used: { configmaps: "1" } })
})

test("an edited status is corrected after five minutes", async () => {
  await using running = await start({ pods: "9" })
  await running.client.patch(resourceQuotas, "default/quota", { status: { used: { pods: "7" } } }, { subresource: "status" })
  await running.advance("4m")
  expect(await used(running)).toEqual({ pods: "7" })
  await running.advance("2m")
  expect(await used(running)).toEqual({ pods: "0" })
})

test("a full quota refuses, and admits again after a delete", async () => {
  await using running = await start({ configmaps: "1" })
  await running.apply(configMap("a"))
  await expect(running.apply(configMap("b"))).rejects.toThrow(
    "exceeded quota: quota, requested: configmaps=1, used: configmaps=1, limited: configmaps=1",
  )
  await running.client.delete(configMaps, "default/a")
  await running.advance("100ms")
  await running.apply(configMap("b"))
  expect(await used(running)).toEqual({ configmaps: "1" })
})

test("objects that are deleted together are subtracted in one write", async () => {
  const writes: string[] = []
  await using running = await start({ configmaps: "20" }, { layer: noting(writes) })
  for (let at = 0; at < 10; at++) await running.apply(configMap(`c-${at}`))
  await running.advance("5s")
  writes.length = 0
  for (let at = 0; at < 10; at++) await running.client.delete(configMaps, `default/c-${at}`)
  await running.advance("1m")
  expect(await used(running)).toEqual({ configmaps: "0" })
  expect(writes.filter((write) => write.includes("resourcequotas"))).toHaveLength(1)
})

test("other namespaces do not count", async () => {
  await using running = await start({ configmaps: "9" })
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } })
  await running.apply({ ...configMap("a"), metadata: { name: "a", namespace: "other" } })
  await running.apply(configMap("b"))
  await running.advance("10m")
  expect(await used(running)).toEqual({ configmaps: "1" })
})

test("DiscoverySync: one group that answers 500 keeps its old numbers, and the rest is counted", async () => {
  let broken = false
  let asked = 0
  const layer = refusing(({ path, verb }) => {
    if (!broken || verb !== "GET" || !path.startsWith("/apis/networking.k8s.io/")) return undefined
    asked++
    return internalError("conversion webhook failed")
  })
  await using running = await start({ configmaps: "9", "count/ingresses.networking.k8s.io": "9" }, { layer })
  const backend = { service: { name: "web", port: { number: 80 } } }
  const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { name: "a" }, spec: { defaultBackend: backend } }
  await running.apply(ingress as KubeObject)
  await running.advance("5s")
  broken = true
  await running.restartControllers()
  await running.apply(configMap("a"))
  await running.apply(configMap("b"))
  await running.client.delete(configMaps, "default/b")
  await running.advance("2m")
  expect(await used(running)).toEqual({ configmaps: "1", "count/ingresses.networking.k8s.io": "1" })
  expect(asked).toBeLessThan(200)
})

test("duplicate events and bodies through JSON change nothing", async () => {
  await using running = await start({ pods: "9", "requests.cpu": "9" }, { layer: doubling(), throughJson: true })
  await running.apply(pod("a", { cpu: "100m" }))
  await running.apply(pod("b", { cpu: "200m" }))
  await running.client.delete(pods, "default/a")
  await running.advance("1m")
  expect(await used(running)).toEqual({ pods: "1", "requests.cpu": "200m" })
})

test("whichever API call the controllers crash at, the count is right", async () => {
  const scenario = {
    cluster: alone,
    async run(running: Cluster) {
      await running.apply(quota({ hard: { pods: "9", configmaps: "9" } }))
      await running.advance("5s")
      for (const name of ["a", "b"]) await running.apply(pod(name))
      await running.apply(configMap("a"))
      await running.advance("40s")
      await running.client.delete(pods, "default/a")
      await running.advance("40s")
    },
    end: used,
  }
  expect(await crashPoints(scenario, { sample: 10, seed: 9, writers: ["resourcequota-controller"] })).toMatchObject({ tried: 10 })
})
