import type { KubeObject } from "@pilothouse/api"
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  type PersistentVolumeSpec,
  persistentVolumeClaims,
  persistentVolumes,
} from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { sectionsOf } from "../answer/sections.ts"

function volume(name: string, spec: Partial<PersistentVolumeSpec> = {}): KubeObject {
  const defaults = { capacity: { storage: "200Gi" }, accessModes: ["ReadWriteOnce"], storageClassName: "", hostPath: { path: "/data" } }
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec: { ...defaults, ...spec } } as KubeObject
}

const defaultSpec: PersistentVolumeClaimSpec = {
  storageClassName: "",
  accessModes: ["ReadWriteOnce"],
  resources: { requests: { storage: "100Gi" } },
}

/** What is said of the volumes to a claim, all of them Available unless they are bound. */
async function said(volumes: readonly KubeObject[], spec: Partial<PersistentVolumeClaimSpec> = {}): Promise<readonly string[]> {
  await using running = await cluster({ controllers: [], nodes: 1 })
  for (const one of volumes) {
    await running.apply(one)
    const found = await running.client.get(persistentVolumes, one.metadata.name!)
    const phase = found.spec?.claimRef === undefined ? "Available" : "Bound"
    await running.client.updateStatus(persistentVolumes, { ...found, status: { phase } } as PersistentVolume)
  }
  const metadata = { name: "big", namespace: "default" }
  await running.apply({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: { ...defaultSpec, ...spec } } as KubeObject)
  const claim: PersistentVolumeClaim = await running.client.get(persistentVolumeClaims, "default/big")
  const sections = await sectionsOf(running.client, persistentVolumeClaims, claim, { now: 0 })
  return sections.find(({ title }) => title === "Volumes that are there")?.lines ?? []
}

const elsewhere = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["moon"] }] }] } } as const

test.each<[name: string, its: Partial<PersistentVolumeSpec>, wanted: Partial<PersistentVolumeClaimSpec>, why: string]>([
  ["too small", { capacity: { storage: "1Gi" } }, {}, "it is too small, 1Gi where 100Gi is wanted"],
  ["of another class", { storageClassName: "slow" }, {}, 'its class is "slow", not ""'],
  ["used otherwise", { accessModes: ["ReadOnlyMany"] }, {}, "it can be used ReadOnlyMany, not ReadWriteOnce"],
  ["a device", { volumeMode: "Block" }, {}, "its volumeMode is Block, not Filesystem"],
  ["of another claim", { claimRef: { namespace: "other", name: "data" } }, {}, "it is bound to the claim other/data"],
  [
    "an earlier claim's",
    { claimRef: { namespace: "default", name: "big", uid: "gone" } },
    {},
    "it belonged to an earlier claim of this name",
  ],
  ["not selected", {}, { selector: { matchLabels: { disk: "ssd" } } }, "the claim's selector does not match its labels"],
  ["where no node is", { nodeAffinity: elsewhere } as Partial<PersistentVolumeSpec>, {}, "no node that is there can use it"],
])("a volume that is %s says so", async (_name, its, wanted, why) => {
  expect(await said([volume("one", its)], wanted)).toEqual([`one does not fit: ${why}`])
})

test("lists those that come nearest and counts the others; one that fits is not among them", async () => {
  const far = Array.from({ length: 5 }, (_, at) => volume(`far-${at}`, { capacity: { storage: "1Gi" }, storageClassName: "slow" }))
  const near = [volume("near", { capacity: { storage: "50Gi" } }), volume("small", { capacity: { storage: "1Gi" } }), volume("fits")]
  const lines = await said([...far, ...near])
  expect(lines.map((line) => line.split(" does not fit")[0])).toEqual(["near", "small", "far-0", "far-1", "far-2", "nor do 2 others"])
  expect(lines[2]).toBe('far-0 does not fit: it is too small, 1Gi where 100Gi is wanted; its class is "slow", not ""')
})

test("a claim that names its volume lists no others", async () => {
  expect(await said([volume("one", { capacity: { storage: "1Gi" } })], { volumeName: "another" })).toEqual([])
})
