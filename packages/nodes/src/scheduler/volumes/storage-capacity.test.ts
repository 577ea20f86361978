import type { KubeObject } from "@pilothouse/api"
import { type PersistentVolumeClaim, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import type { CSIStorageCapacity, StorageClass } from "@pilothouse/api/storage/v1"
import { cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { testNode } from "../testing/objects.ts"
import { placementOn } from "./volume-placement.ts"

const driver = "csi.example.com"
const late: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "late" },
  provisioner: driver,
  volumeBindingMode: "WaitForFirstConsumer",
}
const claim: PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "late", resources: { requests: { storage: "10Gi" } } },
}
const anywhere = {}
const on = (name: string) => ({ matchLabels: { "kubernetes.io/hostname": name } })

function capacity(more: Partial<CSIStorageCapacity>, name = "capacity"): CSIStorageCapacity {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIStorageCapacity",
    metadata: { name, namespace: "default" },
    storageClassName: "late",
    ...more,
  }
}

const tooLittle = "node(s) did not have enough free storage"

describe("a volume that is to be provisioned on node-1", () => {
  test.each<[name: string, capacities: readonly CSIStorageCapacity[] | undefined, reasons: readonly string[]]>([
    ["the driver does not count its room", undefined, []],
    ["it has none", [], [tooLittle]],
    ["enough on this node", [capacity({ capacity: "10Gi", nodeTopology: on("node-1") })], []],
    ["enough on all nodes", [capacity({ capacity: "10Gi", nodeTopology: anywhere })], []],
    ["enough on another node", [capacity({ capacity: "10Gi", nodeTopology: on("node-2") })], [tooLittle]],
    ["enough, and no node reaches it", [capacity({ capacity: "10Gi" })], [tooLittle]],
    ["too little", [capacity({ capacity: "9Gi", nodeTopology: anywhere })], [tooLittle]],
    [
      "enough in all, but not in one piece",
      [capacity({ capacity: "100Gi", maximumVolumeSize: "9Gi", nodeTopology: anywhere })],
      [tooLittle],
    ],
    ["enough in one piece", [capacity({ capacity: "1Gi", maximumVolumeSize: "10Gi", nodeTopology: anywhere })], []],
    ["not said how much", [capacity({ nodeTopology: anywhere })], [tooLittle]],
  ])("%s", (_name, capacities, reasons) => {
    const view = { key: "default/data", claim, isBound: false, storageClass: late, candidates: [], capacities }
    expect(placementOn(testNode("node-1"), { claims: [view] }).reasons).toEqual(reasons)
  })
})

test("a pod waits until its driver has room, and goes there", async () => {
  await using running = await cluster({ nodes: 2, controllers: [] })
  const csiDriver = {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: driver },
    spec: { storageCapacity: true },
  } as KubeObject
  for (const object of [late, csiDriver, claim, capacity({ capacity: "1Gi", nodeTopology: on("node-1") }, "one")])
    await running.apply(object)
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }]
  await running.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a" },
    spec: { containers: [{ name: "a", image: "a" }], volumes },
  })
  await running.advance("2s")
  const said = (await running.client.get(pods, "default/a")).status?.conditions?.find(({ type }) => type === "PodScheduled")?.message
  expect(said).toContain(`0/2 nodes are available: 2 ${tooLittle}.`)
  await running.apply(capacity({ capacity: "20Gi", nodeTopology: on("node-2") }, "two"))
  await running.advance("2s")
  const { metadata } = await running.client.get(persistentVolumeClaims, "default/data")
  expect(metadata.annotations?.["volume.kubernetes.io/selected-node"]).toBe("node-2")
})
