import { setTimeout as delay } from "node:timers/promises"
import { isNotFound, type KubeObject } from "@pilothouse/api"
import {
  type Endpoints,
  endpoints,
  events,
  nodes,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  type Service,
  services,
} from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { serviceCIDRs } from "@pilothouse/api/networking/v1"
import { storageClasses, type VolumeAttachment, volumeAttachments } from "@pilothouse/api/storage/v1"
import type { Client } from "@pilothouse/runtime"

/** One part of the story, and what it ends with: without times, versions and names that are random. */
export interface Chapter {
  readonly name: string
  readonly end: unknown
}

const namespace = "default"
const patience = 60_000

/** What happens on the API server while one of the two managers runs. */
export async function story(client: Client): Promise<readonly Chapter[]> {
  return [
    { name: "a ServiceCIDR that is added, deleted while in use, and goes", end: await serviceRanges(client) },
    { name: "Endpoints written by hand, and changed", end: await mirrored(client) },
    { name: "a claim that grows", end: await expanded(client) },
    { name: "a volume that follows its pod", end: await attached(client) },
  ]
}

async function serviceRanges(client: Client): Promise<unknown> {
  await client.create(serviceCIDRs, {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "more" },
    spec: { cidrs: ["10.200.0.0/24"] },
  })
  const readiness = async (wanted: string) =>
    until(async () => {
      const { metadata, status } = await client.get(serviceCIDRs, "more")
      const [condition] = status?.conditions ?? []
      return condition?.status === wanted
        ? { finalizers: metadata.finalizers, condition: { ...condition, lastTransitionTime: "" } }
        : undefined
    })
  const ready = await readiness("True")
  await delay(2000)
  await client.create(services, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "ranged", namespace },
    spec: { clusterIP: "10.200.0.9", ports: [{ port: 80 }] },
  } as Service)
  await client.delete(serviceCIDRs, "more")
  const terminating = await readiness("False")
  await client.delete(services, `${namespace}/ranged`)
  const gone = await until(() =>
    client.get(serviceCIDRs, "more").then(
      () => undefined,
      (error: unknown) => (isNotFound(error) ? "gone" : undefined),
    ),
  )
  const standard = await until(async () => {
    const { metadata, status } = await client.get(serviceCIDRs, "kubernetes")
    return metadata.finalizers && { finalizers: metadata.finalizers, message: status?.conditions?.[0]?.message }
  })
  return { ready, terminating, gone, standard }
}

async function mirrored(client: Client): Promise<unknown> {
  const metadata = { name: "db", namespace, labels: { team: "a" } }
  const byHand = (...ips: readonly string[]) =>
    ({
      apiVersion: "v1",
      kind: "Endpoints",
      metadata,
      subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: "sql", port: 5432, protocol: "TCP" }] }],
    }) as Endpoints
  await client.create(services, { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ name: "sql", port: 5432 }] } } as Service)
  const slices = (count: number) =>
    until(async () => {
      const { items } = await client.list(endpointSlices, { namespace, labelSelector: "kubernetes.io/service-name=db" })
      if (items.flatMap((slice) => slice.endpoints ?? []).length !== count) return undefined
      return items.map(({ metadata: { labels, ownerReferences, generateName }, addressType, endpoints: all, ports }) => ({
        labels,
        owners: ownerReferences?.map(({ uid: _uid, ...owner }) => owner),
        generateName,
        addressType,
        endpoints: all,
        ports,
      }))
    })
  await client.create(endpoints, byHand("192.0.2.1"))
  const first = await slices(1)
  await client.patch(endpoints, `${namespace}/db`, { subsets: byHand("192.0.2.1", "192.0.2.2").subsets })
  return { first, second: await slices(2) }
}

function volume(name: string): KubeObject {
  const spec = {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    storageClassName: "disk",
    csi: { driver: "disk.example.com", volumeHandle: name },
    claimRef: { namespace, name },
  }
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec } as KubeObject
}

function claim(name: string): KubeObject {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "disk", volumeName: name }
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace }, spec } as KubeObject
}

async function bound(client: Client, name: string): Promise<void> {
  await client.create(persistentVolumes, volume(name) as PersistentVolume)
  await client.create(persistentVolumeClaims, claim(name) as PersistentVolumeClaim)
  await until(async () => ((await client.get(persistentVolumeClaims, `${namespace}/${name}`)).status?.phase === "Bound" ? true : undefined))
}

async function expanded(client: Client): Promise<unknown> {
  await client.create(storageClasses, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "disk" },
    provisioner: "disk.example.com",
    allowVolumeExpansion: true,
  })
  await bound(client, "grows")
  await client.patch(persistentVolumeClaims, `${namespace}/grows`, { spec: { resources: { requests: { storage: "2Gi" } } } })
  const said = await eventsOf(client, "grows", 1)
  const { metadata, status } = await client.get(persistentVolumeClaims, `${namespace}/grows`)
  return { said, annotations: metadata.annotations, status }
}

async function attached(client: Client): Promise<unknown> {
  for (const name of ["n1", "n2"]) {
    const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" }
    await client.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name, annotations } })
    const conditions = [{ type: "Ready", status: "True" }]
    await client.patch(nodes, name, { status: { conditions } } as never, { subresource: "status" })
  }
  await bound(client, "data")
  await client.create(pods, pod("one", "n1"))
  const first = await confirm(client, "n1")
  const listed = await listedOn(client, "n1", 1)
  const succeeded = await eventsOf(client, "one", 1)
  await client.create(pods, pod("two", "n2"))
  const refused = await eventsOf(client, "two", 1)
  await client.delete(pods, `${namespace}/one`, { gracePeriodSeconds: 0 })
  const second = await confirm(client, "n2")
  const moved = [await listedOn(client, "n1", 0), await listedOn(client, "n2", 1)]
  const left = (await client.list(volumeAttachments)).items.map(({ spec }) => spec.nodeName)
  return { first, listed, succeeded, refused, second, moved, left }
}

function pod(name: string, node: string) {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }]
  const spec = { nodeName: node, containers: [{ name: "main", image: "example/main:1" }], volumes }
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, spec } as const
}

/** Does the part of the external-attacher. */
async function confirm(client: Client, node: string): Promise<unknown> {
  const found = await until(async () =>
    (await client.list(volumeAttachments)).items.find(({ spec }: VolumeAttachment) => spec.nodeName === node),
  )
  await client.patch(volumeAttachments, found, { status: { attached: true } }, { subresource: "status" })
  return { name: found.metadata.name, spec: found.spec }
}

async function listedOn(client: Client, node: string, count: number): Promise<unknown> {
  return until(async () => {
    const { volumesAttached = [] } = (await client.get(nodes, node)).status ?? {}
    return volumesAttached.length === count ? volumesAttached : undefined
  })
}

/** The reports about an object, once there are as many. */
async function eventsOf(client: Client, name: string, count: number): Promise<unknown> {
  const sources = new Set(["volume_expand", "attachdetach-controller"])
  return until(async () => {
    const { items } = await client.list(events, { namespace })
    const about = items.filter(({ involvedObject, source }) => involvedObject.name === name && sources.has(source?.component ?? ""))
    return about.length < count ? undefined : about.map(({ type, reason, message, source }) => [type, reason, message, source?.component])
  })
}

async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + patience
  for (;;) {
    const found = await find()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`expected it within ${patience / 1000} s, found nothing: ${find}`)
    await delay(100)
  }
}
