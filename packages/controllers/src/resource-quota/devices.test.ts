import type { Descriptor, KubeObject } from "@pilothouse/api"
import { pods, resourceQuotas } from "@pilothouse/api/core/v1"
import { deviceClasses, resourceClaims } from "@pilothouse/api/resource/v1"
import type { Reader } from "@pilothouse/runtime"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { observe } from "./observe.ts"
import { quota } from "./testing/quotas.ts"
import { UsageCache } from "./usage-cache.ts"

const implicit = "requests.deviceclass.resource.kubernetes.io/gpu"
const gpus = "requests.example.com/gpu"

const gpuClass = (extendedResourceName?: string): KubeObject =>
  ({ apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: { name: "gpu" }, spec: { extendedResourceName } }) as KubeObject

function claim(name: string, count: number, metadata = {}): KubeObject {
  const spec = { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count } }] } }
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name, namespace: "default", ...metadata },
    spec,
  } as KubeObject
}

function asking(name: string, count: string): KubeObject {
  const resources = { requests: { "example.com/gpu": count }, limits: { "example.com/gpu": count } }
  const spec = { containers: [{ name: "c", image: "example/c:1", resources }] }
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, spec } as KubeObject
}

const madeFor = (name: string, uid: string | undefined) => ({
  annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
})

const used = async (running: Cluster) => (await running.client.get(resourceQuotas, "default/quota")).status?.used

/** The quota comes last: its status was counted by the controller. */
async function counted(running: Cluster, hard: Record<string, string>) {
  await running.apply(quota({ hard }))
  await running.settled()
  return used(running)
}

test("the devices of claims are counted, not the claims", async () => {
  await using running = await cluster({ controllers: ["resourcequota"] })
  for (const object of [gpuClass(), claim("a", 2), claim("b", 3)]) await running.apply(object)
  const hard = { "gpu.deviceclass.resource.k8s.io/devices": "9", "count/resourceclaims.resource.k8s.io": "9", [implicit]: "9" }
  const all = { "gpu.deviceclass.resource.k8s.io/devices": "5", "count/resourceclaims.resource.k8s.io": "2", [implicit]: "5" }
  expect(await counted(running, hard)).toEqual(all)
})

test("a missing class is counted in a quota that limits claims, and in no other", async () => {
  await using running = await cluster({ controllers: ["resourcequota"] })
  await running.apply(claim("a", 2))
  const number = "count/resourceclaims.resource.k8s.io"
  expect(await counted(running, { [implicit]: "9", [number]: "9" })).toEqual({ [implicit]: "2", [number]: "1" })
  await running.client.patch(resourceQuotas, "default/quota", { spec: { hard: { [implicit]: "9", [number]: null } } })
  await running.advance("1s")
  expect(await used(running)).toEqual({ [implicit]: "0" })
})

test("pods and claims add up under the extended resource, and deleted ones are subtracted", async () => {
  await using running = await cluster({ controllers: ["resourcequota"] })
  for (const object of [gpuClass("example.com/gpu"), claim("a", 2), asking("p", "3")]) await running.apply(object)
  expect(await counted(running, { [gpus]: "9" })).toEqual({ [gpus]: "5" })
  await running.client.delete(resourceClaims, "default/a")
  await running.advance("1s")
  expect(await used(running)).toEqual({ [gpus]: "3" })
})

test("the claim that the scheduler made for a pod is not counted twice, until the pod is over", async () => {
  await using running = await cluster({ controllers: ["resourcequota"] })
  for (const object of [gpuClass("example.com/gpu"), asking("p", "5")]) await running.apply(object)
  const { metadata } = await running.client.get(pods, "default/p")
  await running.apply(claim("a", 2, madeFor("p", metadata.uid)))
  expect(await counted(running, { [gpus]: "9", [implicit]: "9" })).toEqual({ [gpus]: "5", [implicit]: "2" })
  await running.apply(claim("b", 1, madeFor("p", metadata.uid)))
  await running.advance("5s")
  expect(await used(running)).toEqual({ [gpus]: "6", [implicit]: "3" })
  await running.client.patch(pods, "default/p", { status: { phase: "Succeeded" } }, { subresource: "status" })
  await running.advance("1s")
  expect(await used(running)).toEqual({ [gpus]: "3", [implicit]: "3" })
  await running.client.delete(resourceClaims, "default/a")
  await running.advance("1s")
  expect(await used(running)).toEqual({ [gpus]: "1", [implicit]: "1" })
})

test("a class that comes to stand for a resource is seen without waiting for the next round", async () => {
  await using running = await cluster({ controllers: ["resourcequota"] })
  for (const object of [gpuClass(), claim("a", 2)]) await running.apply(object)
  expect(await counted(running, { [gpus]: "9" })).toEqual({ [gpus]: "0" })
  await running.client.patch(deviceClasses, "gpu", { spec: { extendedResourceName: "example.com/gpu" } })
  await running.advance("2s")
  expect(await used(running)).toEqual({ [gpus]: "2" })
})

test("device classes are no part of a namespace, and not counted", async () => {
  await using running = await cluster({ controllers: ["resourcequota"] })
  await running.apply(gpuClass())
  expect(await counted(running, { "count/deviceclasses.resource.k8s.io": "5", pods: "5" })).toEqual({ pods: "0" })
})

const objects = new Map<Descriptor, readonly KubeObject[]>([
  [deviceClasses as Descriptor, [gpuClass("example.com/gpu")]],
  [resourceClaims as Descriptor, [claim("a", 2)]],
  [pods as Descriptor, [asking("p", "1")]],
])

test.each([
  ["pods", pods as Descriptor, ["pods"]],
  ["claims", resourceClaims as Descriptor, ["resourceclaims.resource.k8s.io"]],
  ["their classes", deviceClasses as Descriptor, ["resourceclaims.resource.k8s.io"]],
])("what pods and claims are counted under together is not counted while %s are not seen", (_what, missing, unsynced) => {
  const hard = { [gpus]: "9", pods: "9", "count/resourceclaims.resource.k8s.io": "9" }
  const read = {
    get: () => quota({ hard }),
    list: (of: Descriptor) => objects.get(of),
    count: (of: Descriptor) => objects.get(of)?.length,
    kinds: () => [...objects.keys()].map((of) => ({ of, hasSynced: of !== missing })),
  } as unknown as Reader
  const seen = observe("default/quota", read, new UsageCache())
  expect(seen?.unsynced).toEqual(unsynced)
  expect(seen?.collections.flatMap(({ names }) => names)).toEqual([
    unsynced[0] === "pods" ? "count/resourceclaims.resource.k8s.io" : "pods",
  ])
})
