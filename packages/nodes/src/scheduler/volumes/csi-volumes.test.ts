import type { KubeObject } from "@pilothouse/api"
import { type PersistentVolumeClaim, persistentVolumeClaims } from "@pilothouse/api/core/v1"
import { csiNodes, type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import type { Reader } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { observeCsiVolumes } from "./csi-volumes.ts"
import type { ClaimView } from "./volumes.ts"

const driver = "csi.example.com"
const metadata = { name: "data", namespace: "default" }
const claim: PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata,
  spec: { storageClassName: "fast" },
}
const fast: StorageClass = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "fast" }, provisioner: driver }

/** As kube-apiserver has the CSINode on the wire. */
function limitOf(csiNode: string): number | undefined {
  const objects = new Map<unknown, KubeObject>([
    [persistentVolumeClaims, claim],
    [storageClasses, fast],
    [csiNodes, JSON.parse(csiNode)],
  ])
  const read = { get: (of: unknown) => objects.get(of), byIndex: () => [] } as unknown as Reader
  const claims = [{ key: "default/data", claim } as ClaimView]
  return observeCsiVolumes({ claims }, read)?.limit("node-1", driver)
}

test.each<[name: string, csiNode: string, limit: number | undefined]>([
  ["the driver says how many", `{"spec":{"drivers":[{"name":"other"},{"name":"${driver}","allocatable":{"count":3}}]}}`, 3],
  ["the driver says nothing", `{"spec":{"drivers":[{"name":"${driver}","topologyKeys":null}]}}`, undefined],
  ["another driver", '{"spec":{"drivers":[{"name":"other","allocatable":{"count":3}}]}}', undefined],
  ["no driver", '{"spec":{"drivers":[]}}', undefined],
  ["no driver, written as null", '{"spec":{"drivers":null}}', undefined],
])("the limit of a node: %s", (_name, csiNode, limit) => {
  expect(limitOf(csiNode)).toBe(limit)
})
