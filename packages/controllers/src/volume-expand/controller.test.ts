import type { KubeObject } from "@pilothouse/api"
import {
  events,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { operationsOf } from "../service-endpoints/testing/objects.ts"
import { noting } from "../testing/layers.ts"
import { decide } from "./decide.ts"

const only = { nodes: 0, controllers: ["persistentvolume-expander", "persistentvolume-binder"] }
const sc = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "disk" },
  provisioner: "disk.example.com",
  allowVolumeExpansion: true,
}
const pv = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "data" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    storageClassName: "disk",
    csi: { driver: "disk.example.com", volumeHandle: "data" },
    claimRef: { namespace: "default", name: "data" },
  },
}
const pvc = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "disk", volumeName: "data" },
}

async function bound(running: Cluster): Promise<void> {
  await running.apply([sc, pv, pvc] as readonly KubeObject[])
  await running.settled()
}

async function grow(running: Cluster, storage: string): Promise<void> {
  await running.client.patch(persistentVolumeClaims, "default/data", { spec: { resources: { requests: { storage } } } })
  await running.settled()
}

async function told(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(events, { namespace: "default" })
  return all
    .filter(({ source }) => source?.component === "volume_expand")
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
}

test("a claim that grows says who is waited for, and nothing is written to it", async () => {
  const writes: string[] = []
  await using running = await cluster({ ...only, layer: noting(writes, "persistentvolume-expander-controller") })
  await bound(running)
  expect(await told(running)).toEqual([])
  await grow(running, "2Gi")
  expect(await told(running)).toEqual(["Normal ExternalExpanding: waiting for an external controller to expand this PVC"])
  expect(writes).toEqual([])
  await running.advance("30m")
  expect(await told(running)).toHaveLength(1)
})

test("a resizer that has expanded the volume ends it", async () => {
  const reads: string[] = []
  await using running = await cluster({
    ...only,
    layer: (inner) => (request) => {
      if (request.verb === "GET" && request.path.endsWith("/persistentvolumes/data")) reads.push(request.path)
      return inner(request)
    },
  })
  await bound(running)
  await grow(running, "2Gi")
  const before = reads.length
  await running.client.patch(persistentVolumes, "data", { spec: { capacity: { storage: "2Gi" } } })
  await running.client.patch(
    persistentVolumeClaims,
    "default/data",
    { status: { capacity: { storage: "2Gi" } } },
    { subresource: "status" },
  )
  await running.settled()
  expect(reads).toHaveLength(before)
  expect(await told(running)).toHaveLength(1)
})

describe("decide", () => {
  const claim = { ...pvc, metadata: { ...pvc.metadata, uid: "u" }, status: { phase: "Bound" } } as PersistentVolumeClaim
  const claimRef = { namespace: "default", name: "data", uid: "u" }
  const volume = (source: object, ref: object = claimRef) =>
    ({ ...pv, spec: { accessModes: [], capacity: {}, claimRef: ref, ...source } }) as unknown as PersistentVolume
  const planned = (of: PersistentVolume | undefined, annotations: Readonly<Record<string, string>> = {}) => {
    const made = decide({ claim: { ...claim, metadata: { ...claim.metadata, annotations } }, volume: of })
    const patched = operationsOf(made).map((operation) =>
      operation.do === "patch" ? Object.values((operation.patch as KubeObject).metadata.annotations ?? {}) : [],
    )
    return [made.events.map(({ message }) => message), patched.flat(), made.waitingFor]
  }
  const waits = (plugin: string) => `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`
  const external = "waiting for an external controller to expand this PVC"

  test.each([
    { name: "a CSI volume", of: volume({ csi: { driver: "d", volumeHandle: "h" } }), events: [external], patched: [] },
    { name: "a volume without a plugin that expands it", of: volume({ nfs: { server: "s", path: "/" } }), events: [external], patched: [] },
    {
      name: "an EBS volume",
      of: volume({ awsElasticBlockStore: { volumeID: "v" } }),
      events: [waits("kubernetes.io/aws-ebs")],
      patched: ["ebs.csi.aws.com"],
    },
    {
      name: "a Cinder volume",
      of: volume({ cinder: { volumeID: "v" } }),
      events: [waits("kubernetes.io/cinder")],
      patched: ["cinder.csi.openstack.org"],
    },
    {
      name: "a GCE disk",
      of: volume({ gcePersistentDisk: { pdName: "v" } }),
      events: [waits("kubernetes.io/gce-pd")],
      patched: ["pd.csi.storage.gke.io"],
    },
    {
      name: "an Azure disk",
      of: volume({ azureDisk: { diskName: "v", diskURI: "u" } }),
      events: [waits("kubernetes.io/azure-disk")],
      patched: ["disk.csi.azure.com"],
    },
    {
      name: "an Azure file share",
      of: volume({ azureFile: { shareName: "v", secretName: "s" } }),
      events: [waits("kubernetes.io/azure-file")],
      patched: ["file.csi.azure.com"],
    },
    {
      name: "a vSphere volume",
      of: volume({ vsphereVolume: { volumePath: "v" } }),
      events: [waits("kubernetes.io/vsphere-volume")],
      patched: ["csi.vsphere.vmware.com"],
    },
    {
      name: "a Portworx volume",
      of: volume({ portworxVolume: { volumeID: "v" } }),
      events: [waits("kubernetes.io/portworx-volume")],
      patched: ["pxd.portworx.com"],
    },
  ])("$name", ({ of, events: expected, patched }) => expect(planned(of)).toEqual([expected, patched, []]))

  test("a claim that names its resizer is not written again", () => {
    const annotations = { "volume.kubernetes.io/storage-resizer": "ebs.csi.aws.com" }
    expect(planned(volume({ awsElasticBlockStore: { volumeID: "v" } }), annotations)[1]).toEqual([])
  })

  test.each([
    { name: "is gone", of: undefined },
    { name: "names another claim", of: volume({}, { namespace: "default", name: "data", uid: "other" }) },
    { name: "names no claim", of: volume({ claimRef: undefined }) },
  ])("a volume that $name is waited for", ({ of }) => expect(planned(of)).toEqual([[], [], ["its volume to name it"]]))
})

test("a crash at any call ends the same", async () => {
  const ebs = { ...pv, spec: { ...pv.spec, csi: undefined, awsElasticBlockStore: { volumeID: "v" } } }
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply([sc, ebs, pvc] as readonly KubeObject[])
        await running.advance("30s")
        await grow(running, "2Gi")
        await running.advance("60s")
        const found = await running.client.get(persistentVolumeClaims, "default/data")
        expect(found.metadata.annotations?.["volume.kubernetes.io/storage-resizer"]).toBe("ebs.csi.aws.com")
      },
    },
    { sample: 3, seed: 3, writers: ["persistentvolume-expander-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
