import type { KubeObject } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import { type DeviceTaint, type ResourceSlice, resourceClaims, resourceSlices } from "@pilothouse/api/resource/v1"
import type { Cluster } from "@pilothouse/testing"
import { claimFinalizer } from "../../resource-claim/release.ts"
import { allocation, claimOf, fromTemplate, podWith, template } from "../../resource-claim/testing/objects.ts"
import { isGone } from "./refuse-for-ever.ts"
import type { RefusedWrite } from "./refused-write.ts"

const claiming = { controllers: ["resource-claim-controller"], nodes: 0 }
const maker = { controller: "resourceclaim-controller", cluster: claiming }
const releaser = { controller: "resourceclaim-release-controller", cluster: claiming }

const pod = (namespace: string, entry: object): KubeObject => ({
  ...podWith("a", [{ name: "gpu", ...entry }]),
  metadata: { name: "a", namespace },
})
const fromOwnTemplate = (namespace: string): readonly KubeObject[] => [
  { ...template, metadata: { ...template.metadata, namespace } },
  pod(namespace, fromTemplate),
]
const claim = (namespace: string, metadata: object = {}): KubeObject => ({
  ...claimOf(undefined, "a"),
  metadata: { name: "a", namespace, ...metadata },
})
const withClaim = (namespace: string) => [claim(namespace), pod(namespace, { resourceClaimName: "a" })]

const claims = (running: Cluster, namespace: string) => running.list(resourceClaims, { namespace })

async function allocate(running: Cluster, place: string): Promise<void> {
  const found = await running.client.get(resourceClaims, `${place}/a`)
  const { uid = "" } = (await running.client.get(pods, `${place}/a`)).metadata
  const held = await running.client.update(resourceClaims, { ...found, metadata: { ...found.metadata, finalizers: [claimFinalizer] } })
  await running.client.updateStatus(resourceClaims, {
    ...held,
    status: { allocation, reservedFor: [{ resource: "pods", name: "a", uid }] },
  })
  await running.client.delete(pods, `${place}/a`)
}

const deviceClass = { apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: { name: "gpu.example.com" }, spec: {} } as KubeObject

/** One device that every node can reach. */
const sliceOf = (name: string, taints: readonly DeviceTaint[]): ResourceSlice => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name },
  spec: {
    driver: "gpu.example.com",
    allNodes: true,
    pool: { name, generation: 1, resourceSliceCount: 1 },
    devices: [{ name: "gpu-0", attributes: { place: { string: name } }, taints }],
  },
})

/** Of the slice of that place only. */
function claimIn(place: string): KubeObject {
  const selectors = [{ cel: { expression: `device.attributes["gpu.example.com"].place == "${place}"` } }]
  const exactly = { deviceClassName: "gpu.example.com", selectors }
  return { ...claim(place), spec: { devices: { requests: [{ name: "gpu", exactly }] } } } as KubeObject
}

export const refusedDevices: readonly RefusedWrite[] = [
  {
    ...maker,
    write: "POST resourceclaims",
    given: fromOwnTemplate,
    done: async (running, place) => (await claims(running, place)).length === 1,
    eventReason: "FailedResourceClaimCreation",
  },
  {
    ...maker,
    write: "PATCH pods/status",
    given: fromOwnTemplate,
    done: async (running, place) => (await running.client.get(pods, `${place}/a`)).status?.resourceClaimStatuses?.length === 1,
    async meanwhile(running, place) {
      const made = await claims(running, place)
      if (made.length !== 1) throw new Error(`expected one claim in ${place}, found ${made.length}`)
    },
  },
  {
    ...maker,
    write: "PUT resourceclaims/status",
    given: withClaim,
    async change(running, place) {
      const found = await running.client.get(resourceClaims, `${place}/a`)
      await running.client.updateStatus(resourceClaims, { ...found, status: { allocation } })
      await running.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "somewhere" } })
      await running.client.bind(await running.client.get(pods, `${place}/a`), "somewhere")
    },
    done: async (running, place) => (await running.client.get(resourceClaims, `${place}/a`)).status?.reservedFor?.length === 1,
  },
  ...(["PATCH pods/status", "DELETE pods"] as const).map((write): RefusedWrite => {
    const taints = [{ key: "broken", effect: "NoExecute" as const }]
    return {
      controller: "device-taint-eviction-controller",
      cluster: { controllers: ["device-taint-eviction-controller"], nodes: 1 },
      write,
      given: (place) => [deviceClass, sliceOf(place, []), claimIn(place), pod(place, { resourceClaimName: "a" })],
      change: (running, place) => running.client.patch(resourceSlices, place, { spec: { devices: sliceOf(place, taints).spec.devices } }),
      done: (running, place) => isGone(running.client.get(pods, `${place}/a`)),
      // The longest wait is 30 s, as that of the controller of nodes' taints.
      maxTries: 60,
    }
  }),
  {
    ...releaser,
    write: "PUT resourceclaims/status",
    given: withClaim,
    change: allocate,
    done: async (running, place) => {
      const { status } = await running.client.get(resourceClaims, `${place}/a`)
      return status?.reservedFor === undefined && status?.allocation === undefined
    },
  },
  {
    ...releaser,
    write: "PUT resourceclaims",
    given: (place) => [claim(place, { finalizers: [claimFinalizer] })],
    change: (running, place) => running.client.delete(resourceClaims, `${place}/a`),
    done: (running, place) => isGone(running.client.get(resourceClaims, `${place}/a`)),
  },
  {
    ...releaser,
    write: "DELETE resourceclaims",
    given: fromOwnTemplate,
    change: (running, place) => running.client.patch(pods, `${place}/a`, { status: { phase: "Succeeded" } }, { subresource: "status" }),
    done: async (running, place) => (await claims(running, place)).length === 0,
  },
]
