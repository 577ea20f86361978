import type { KubeObject } from "@pilothouse/api"
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
} from "@pilothouse/api/core/v1"
import { type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import type { Reader } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { claimNames } from "./pod/pod-facts.ts"
import { testPod } from "./testing/objects.ts"
import { observeCsiVolumes } from "./volumes/csi-volumes.ts"
import { observeVolumes, unclaimedByClass } from "./volumes/volumes.ts"

type Spec = PersistentVolumeClaim["spec"]

function claim(metadata: object = {}, spec: Partial<Spec> = {}, phase?: "Lost" | "Bound"): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default", ...metadata },
    spec: { storageClassName: "late", ...spec },
    status: { phase },
  }
}

const late: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "late" },
  provisioner: "csi.example.com",
  volumeBindingMode: "WaitForFirstConsumer",
}
const inTree: PersistentVolume = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "v" }, spec: { hostPath: { path: "/x" } } }

function reader(found: PersistentVolumeClaim | undefined): Reader {
  const objects = new Map<unknown, KubeObject | undefined>([
    [persistentVolumeClaims, found],
    [persistentVolumes, inTree],
    [storageClasses, late],
  ])
  return { get: (of: unknown) => objects.get(of), byIndex: () => [] } as unknown as Reader
}

const named: Pod = testPod("p", { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] } })
const ephemeral: Pod = testPod("p", { spec: { volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } }] } })
const completed = { "pv.kubernetes.io/bind-completed": "yes" }
const owner = (uid: string) => [{ apiVersion: "v1", kind: "Pod", name: "p", uid, controller: true }]

describe("why a pod waits for its claim", () => {
  const rows: readonly [string, Pod, PersistentVolumeClaim | undefined, string | undefined][] = [
    ["it is missing", named, undefined, 'persistentvolumeclaim "data" not found'],
    [
      "that of an ephemeral volume is not made yet",
      ephemeral,
      undefined,
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"',
    ],
    [
      "its volume is lost",
      named,
      claim({}, { volumeName: "v" }, "Lost"),
      'persistentvolumeclaim "data" bound to non-existent persistentvolume "v"',
    ],
    ["it is being deleted", named, claim({ deletionTimestamp: "2026-01-05T09:00:00Z" }), 'persistentvolumeclaim "data" is being deleted'],
    [
      "that of an ephemeral volume is another pod's",
      ephemeral,
      claim({ name: "p-v", ownerReferences: owner("other") }),
      "PVC default/p-v was not created for pod default/p (pod is not owner)",
    ],
    ["that of an ephemeral volume is its own", ephemeral, claim({ name: "p-v", ownerReferences: owner("default-p") }), undefined],
    ["its class waits for pods", named, claim(), undefined],
    [
      "it names its volume, and is not bound to it",
      named,
      claim({}, { volumeName: "v" }),
      "pod has unbound immediate PersistentVolumeClaims",
    ],
    ["it is bound", named, claim({ annotations: completed }, { volumeName: "v" }, "Bound"), undefined],
  ]
  test.each(rows)("%s", (_what, pod, found, expected) => expect(observeVolumes(pod, reader(found)).blocked).toBe(expected))
})

test("claims are those that are named, and those of ephemeral volumes", () => {
  expect([claimNames(named), claimNames(ephemeral), claimNames(testPod("p"))]).toEqual([["data"], ["p-v"], []])
})

test("a volume that no driver attaches counts for none, whatever the class of its claim", () => {
  const bound = claim({ annotations: completed }, { volumeName: "v" }, "Bound")
  expect(observeCsiVolumes(observeVolumes(named, reader(bound)), reader(bound))).toBeUndefined()
  expect(observeCsiVolumes(observeVolumes(named, reader(claim())), reader(claim()))?.wanted).toMatchObject([{ driver: "csi.example.com" }])
})

test("the volumes of a class are read once, however many claims are of it", () => {
  const classes: string[] = []
  const read = {
    get: (of: unknown, key: string) => (of === persistentVolumeClaims ? claim({ name: key.slice("default/".length) }) : late),
    byIndex: ({ name }: { readonly name: string }, value: string) => {
      if (name === unclaimedByClass.name) classes.push(value)
      return []
    },
  } as unknown as Reader
  const volumes = Array.from({ length: 100 }, (_, at) => ({ name: `v${at}`, persistentVolumeClaim: { claimName: `c${at}` } }))
  expect(observeVolumes(testPod("p", { spec: { volumes } }), read).claims).toHaveLength(100)
  expect(classes).toEqual(["late"])
})

test("a claim may get what is reserved for it and what is unclaimed, of its class", () => {
  const volume = (name: string, storageClassName: string): PersistentVolume => ({
    ...inTree,
    metadata: { name },
    spec: { ...inTree.spec, storageClassName },
  })
  const byIndex = ({ name }: { readonly name: string }, value: string) => {
    if (name === unclaimedByClass.name) return [volume(`unclaimed-${value}`, value)]
    return [volume(`reserved-${value}`, "late"), volume("of-another-class", "other")]
  }
  const read = { ...reader(claim()), byIndex } as unknown as Reader
  const [view] = observeVolumes(named, read).claims
  expect(view?.candidates.map(({ metadata }) => metadata.name)).toEqual(["reserved-default/data", "unclaimed-late"])
})

test("of a pod that waits for a claim, no volumes are read", () => {
  const read = {
    get: (of: unknown, key: string) =>
      of === persistentVolumeClaims ? claim({ name: key.slice("default/".length) }, { storageClassName: "" }) : undefined,
    byIndex: () => expect.unreachable(),
  } as unknown as Reader
  const volumes = Array.from({ length: 3 }, (_, at) => ({ name: `v${at}`, persistentVolumeClaim: { claimName: `c${at}` } }))
  const { claims, blocked } = observeVolumes(testPod("p", { spec: { volumes } }), read)
  expect([claims.map(({ key }) => key), blocked]).toEqual([["default/c0"], "pod has unbound immediate PersistentVolumeClaims"])
})
