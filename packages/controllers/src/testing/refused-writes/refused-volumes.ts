import type { KubeObject } from "@pilothouse/api"
import { configMaps, nodes, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { volumeAttachments, volumeAttributesClasses } from "@pilothouse/api/storage/v1"
import type { Cluster } from "@pilothouse/testing"
import { expect } from "vitest"
import { csiNode, driver, podOn } from "../../attach-detach/testing/csi.ts"
import { forEver } from "../../job/testing/cluster.ts"
import { memoryPlugin } from "../../persistent-volume/testing/plugin.ts"
import { volumeClass } from "../../vac-protection/testing/classes.ts"
import { isGone } from "./refuse-for-ever.ts"
import type { RefusedWrite } from "./refused-write.ts"

const plugin = "kubernetes.io/memory"
const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
const claim = (place: string, more: object): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "a", namespace: place },
    spec: { ...claimSpec, ...more },
  }) as KubeObject
const volume = (name: string, persistentVolumeReclaimPolicy = "Retain"): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy,
      nfs: { server: plugin, path: `/${name}` },
    },
  }) as KubeObject
const pair = (policy?: string) => (place: string) => [volume(place, policy), claim(place, { storageClassName: "", volumeName: place })]
const storageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "fast" },
  provisioner: plugin,
} as KubeObject
const toBeMade = (place: string) => [storageClass, claim(place, { storageClassName: "fast" })]

const isBound = async (running: Cluster, place: string) =>
  (await running.client.get(persistentVolumeClaims, `${place}/a`)).status?.phase === "Bound"
const volumeIsBound = async (running: Cluster, place: string) =>
  (await running.client.get(persistentVolumes, place)).status?.phase === "Bound"
const volumeIsGone = (running: Cluster, place: string) => isGone(running.client.get(persistentVolumes, place))
const removeClaim = (running: Cluster, place: string) => running.client.delete(persistentVolumeClaims, `${place}/a`)

const binding = { controllers: ["persistentvolume-binder"], nodes: 0, needs: { volumePlugins: [memoryPlugin()] } }
const binder = { controller: "persistentvolume-binder-controller", cluster: binding }
const provisioner = { controller: "persistentvolume-provisioner-controller", cluster: binding, given: toBeMade, done: isBound }
const reclaimer = { controller: "persistentvolume-reclaimer-controller", cluster: binding, change: removeClaim }
const claimProtection = {
  controller: "persistentvolumeclaim-protection-controller",
  cluster: { controllers: ["pvc-protection"], nodes: 0 },
}

const disk = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "disk" },
  provisioner: plugin,
  allowVolumeExpansion: true,
}
const diskPair = (place: string, source: object): readonly KubeObject[] => {
  const spec = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, storageClassName: "disk", ...source }
  const made = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: place },
    spec: { ...spec, claimRef: { namespace: place, name: "a" } },
  }
  return [disk, made, claim(place, { storageClassName: "disk", volumeName: place })] as readonly KubeObject[]
}
const attachDetach = {
  controller: "persistentvolume-attach-detach-controller",
  cluster: { controllers: ["attachdetach", "persistentvolume-binder"], nodes: 0 },
  given: (place: string) => [
    csiNode(place),
    ...diskPair(place, { csi: { driver, volumeHandle: place } }),
    { ...podOn(place, "a"), metadata: { name: "a", namespace: place } },
  ],
}
const attachmentOn = async (running: Cluster, node: string) =>
  (await running.list(volumeAttachments)).find(({ spec }) => spec.nodeName === node)

const owner = (namespace: string): KubeObject => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner", namespace } })
const withOwners = (uids: readonly string[]) => (place: string) => {
  const ownerReferences = uids.map((uid) => ({ apiVersion: "v1", kind: "ConfigMap", name: uid === "gone" ? "gone" : "owner", uid }))
  return [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: place, ownerReferences } } as KubeObject]
}
const collector = { controller: "garbage-collector-controller", cluster: { controllers: ["garbage-collector"], nodes: 0 } }

export const refusedVolumes: readonly RefusedWrite[] = [
  {
    ...attachDetach,
    write: "POST volumeattachments",
    done: async (running, place) => (await attachmentOn(running, place)) !== undefined,
  },
  {
    ...attachDetach,
    write: "PATCH nodes/status",
    change: async (running, place) => {
      const found = await attachmentOn(running, place)
      await running.client.patch(volumeAttachments, found!, { status: { attached: true } }, { subresource: "status" })
    },
    done: async (running, place) => ((await running.client.get(nodes, place)).status?.volumesAttached ?? []).length > 0,
  },
  {
    controller: "persistentvolume-expander-controller",
    cluster: { controllers: ["persistentvolume-expander", "persistentvolume-binder"], nodes: 0 },
    given: (place) => diskPair(place, { awsElasticBlockStore: { volumeID: place } }),
    change: (running, place) =>
      running.client.patch(persistentVolumeClaims, `${place}/a`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
    write: "PATCH persistentvolumeclaims/status",
    done: async (running, place) =>
      (await running.client.get(persistentVolumeClaims, `${place}/a`)).metadata.annotations?.["volume.kubernetes.io/storage-resizer"] !==
      undefined,
  },
  { ...binder, write: "PUT persistentvolumes", given: pair(), done: volumeIsBound },
  { ...binder, write: "PUT persistentvolumeclaims", given: pair(), done: isBound },
  { ...binder, write: "PUT|PATCH persistentvolumeclaims/status", given: pair(), done: isBound },
  { ...provisioner, write: "PUT persistentvolumeclaims" },
  { ...provisioner, write: "POST persistentvolumes", eventReason: "ProvisioningFailed" },
  { ...reclaimer, write: "PUT persistentvolumes/status", given: pair("Delete"), done: volumeIsGone },
  { ...reclaimer, write: "DELETE persistentvolumes", given: pair("Delete"), done: volumeIsGone },
  {
    ...reclaimer,
    write: "PUT persistentvolumes",
    given: pair("Recycle"),
    done: async (running, place) => (await running.client.get(persistentVolumes, place)).status?.phase === "Available",
  },
  {
    controller: "persistentvolume-protection-controller",
    cluster: { controllers: ["pv-protection"], nodes: 0 },
    write: "PUT persistentvolumes",
    given: (place) => [volume(place)],
    change: (running, place) => running.client.patch(persistentVolumes, place, { metadata: { finalizers: null } }),
    done: async (running, place) => (await running.client.get(persistentVolumes, place)).metadata.finalizers !== undefined,
  },
  {
    ...claimProtection,
    write: "PUT persistentvolumeclaims",
    given: (place) => [claim(place, { storageClassName: "" })],
    change: (running, place) => running.client.patch(persistentVolumeClaims, `${place}/a`, { metadata: { finalizers: null } }),
    done: async (running, place) => (await running.client.get(persistentVolumeClaims, `${place}/a`)).metadata.finalizers !== undefined,
  },
  {
    ...claimProtection,
    write: "PUT persistentvolumeclaims/status",
    given: (place) => [claim(place, { storageClassName: "" })],
    change: (running, place) =>
      running.client.patch(persistentVolumeClaims, `${place}/a`, { status: { phase: "Bound" } }, { subresource: "status" }),
    done: async (running, place) => (await running.client.get(persistentVolumeClaims, `${place}/a`)).status?.conditions !== undefined,
  },
  {
    controller: "volumeattributesclass-protection-controller",
    cluster: { controllers: ["volumeattributesclass-protection-controller"], nodes: 0 },
    write: "PUT volumeattributesclasses",
    given: (place) => [volumeClass(place)],
    change: (running, place) => running.client.patch(volumeAttributesClasses, place, { metadata: { finalizers: null } }),
    done: async (running, place) => (await running.client.get(volumeAttributesClasses, place)).metadata.finalizers !== undefined,
  },
  {
    controller: "ephemeral-volume-controller",
    cluster: { controllers: ["ephemeral-volume"], nodes: 0 },
    write: "POST persistentvolumeclaims",
    given: (place) => [
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "a", namespace: place },
        spec: { containers: [forEver], volumes: [{ name: "data", ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }] },
      } as KubeObject,
    ],
    done: async (running, namespace) => (await running.list(persistentVolumeClaims, { namespace })).length === 1,
    eventReason: "FailedBinding",
  },
  {
    ...collector,
    write: "DELETE configmaps",
    given: withOwners(["gone"]),
    done: (running, place) => isGone(running.client.get(configMaps, `${place}/a`)),
  },
  {
    ...collector,
    write: "PATCH configmaps",
    given: (place) => [owner(place)],
    async change(running, place) {
      const owner = await running.client.get(configMaps, `${place}/owner`)
      for (const object of withOwners(["gone", owner.metadata.uid!])(place)) await running.apply(object)
    },
    done: async (running, place) => (await running.client.get(configMaps, `${place}/a`)).metadata.ownerReferences?.length === 1,
  },
  {
    ...collector,
    write: "PATCH configmaps",
    given: (place) => [owner(place)],
    async change(running, place) {
      const { metadata } = await running.client.get(configMaps, `${place}/owner`)
      for (const object of withOwners([metadata.uid!])(place)) await running.apply(object)
      await running.settled()
      await running.client.delete(configMaps, `${place}/owner`, { propagationPolicy: "Orphan" })
    },
    /** Gone, and not what it was to leave behind. */
    done: async (running, place) => {
      expect((await running.list(configMaps, { namespace: place })).map(({ metadata }) => metadata.name)).toContain("a")
      return isGone(running.client.get(configMaps, `${place}/owner`))
    },
  },
]
