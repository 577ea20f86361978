import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import type { Operation, Plan, Result } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { settle } from "./bind.ts"
import type { Reservation } from "./cache/node-states.ts"
import { decide } from "./decide.ts"
import { observed, testNode, testPod } from "./testing/objects.ts"
import type { ClaimView } from "./volumes/volumes.ts"

const now = 1_000_000
const nodes = [testNode("a")]

function claim(annotations: Record<string, string> = {}): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "c", namespace: "default", uid: "uid-c", annotations },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "late", resources: { requests: { storage: "1Gi" } } },
  }
}

function volume(claimRef?: object): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, storageClassName: "late", claimRef },
    status: { phase: "Available" },
  }
}

const late: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "late" },
  provisioner: "example.com/disks",
  volumeBindingMode: "WaitForFirstConsumer",
}

function decided(view: Partial<ClaimView>, reserved?: Reservation): Plan {
  const claims = [{ key: "default/c", claim: claim(), isBound: false, candidates: [], storageClass: late, ...view }]
  return decide({ ...observed(testPod("p"), { nodes, volumes: { claims } }), reserved }, { now, random: seededRandom(1) })
}

const operations = ({ steps }: Plan): readonly Operation[] => steps.flatMap((step) => step.operations)
const words = (plan: Plan) => operations(plan).map((operation) => operation.do)

describe("volumes that a pod is to find on its node", () => {
  test("a free one is taken, and the node is reserved for ten minutes", () => {
    const plan = decided({ candidates: [volume()] })
    expect(operations(plan)).toMatchObject([
      { do: "update", object: { metadata: { name: "v" }, spec: { claimRef: { name: "c", uid: "uid-c" } } } },
      { do: "assume-pod", node: "a", until: now + 600_000 },
    ])
  })

  test("one that was taken for it is not written again", () => {
    const taken = volume({ namespace: "default", name: "c", uid: "uid-c" })
    expect(words(decided({ candidates: [taken] }, { node: "a", until: now + 5000 }))).toEqual(["assume-pod"])
  })

  test("a claim that has its selected node is not patched again", () => {
    const told = claim({ "volume.kubernetes.io/selected-node": "a" })
    expect(words(decided({ claim: told }, { node: "a", until: now + 5000 }))).toEqual(["assume-pod"])
  })

  test("a claim that lost its selected node is scheduled again, wherever its node was reserved", () => {
    const claims = [{ key: "default/c", claim: claim(), isBound: false, candidates: [], storageClass: late }]
    const busy = testPod("q", { on: "a", requests: { cpu: "3", memory: "6Gi" } })
    const seen = observed(testPod("p"), { nodes: [testNode("a"), testNode("b")], pods: [busy], volumes: { claims } })
    const plan = decide({ ...seen, reserved: { node: "a", until: now + 5000 } }, { now, random: seededRandom(1) })
    expect(operations(plan)).toMatchObject([{ do: "patch" }, { do: "assume-pod", node: "b" }])
  })

  test("reconciling does not extend a reservation", () => {
    const told = claim({ "volume.kubernetes.io/selected-node": "a" })
    const plan = decided({ claim: told }, { node: "a", until: now + 5000 })
    expect([operations(plan)[0], plan.requeue?.after]).toMatchObject([{ until: now + 5000 }, 5000])
  })
})

describe("what became of a binding", () => {
  const seen = observed(testPod("p"), { nodes })
  const operation = operations(decide(seen, { now, random: seededRandom(1) }))[0]!
  const ends: readonly [string, Result, Reservation | undefined, readonly string[]][] = [
    ["it is there before the cache says so", { operation, ok: true, value: {} } as Result, undefined, ["assume-pod"]],
    ["it failed", { operation, ok: false, error: new Error("no") }, undefined, []],
    [
      "it failed, and its node was reserved",
      { operation, ok: false, error: new Error("no") },
      { node: "a", until: now + 1 },
      ["release-place"],
    ],
  ]
  test.each(ends)("%s", (_what, result, reserved, expected) => expect(words(settle({ ...seen, reserved }, [result]))).toEqual(expected))
})
