import type { PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type ClaimOptions, claim as fullClaim, podWith } from "../persistent-volume/testing/objects.ts"
import { decide, finalizer } from "./decide.ts"
import { blocksDeletion, uses } from "./users.ts"

const now = Date.parse("2026-01-05T09:00:00Z")
const deletionTimestamp = "2026-01-05T08:00:00Z"

interface Marks {
  readonly deleted?: boolean
  readonly unprotected?: boolean
  readonly unused?: "True" | "False"
}

function claim(options: ClaimOptions = {}, { deleted, unprotected, unused }: Marks = {}): PersistentVolumeClaim {
  const metadata = { ...(deleted && { deletionTimestamp }), ...(!unprotected && { finalizers: [finalizer] }) }
  const made = fullClaim("data", { ...options, metadata })
  const conditions = [{ type: "Resizing", status: "True" }, ...(unused === undefined ? [] : [{ type: "Unused", status: unused }])]
  return unused === undefined ? made : { ...made, status: { ...made.status, conditions } }
}

/** "finalizers […]" or "Unused=True": what is written; "" when nothing is. */
function written(of: PersistentVolumeClaim, pods: readonly Pod[]): string {
  const observed = { claim: of, isBlocked: pods.some((pod) => blocksDeletion(pod, of)), isUsed: pods.some((pod) => uses(pod, of)) }
  const operations = decide(observed, { now, random: seededRandom(1) }).steps.flatMap((step) => step.operations)
  return operations
    .map((operation) => {
      if (operation.do === "update" && "object" in operation) return `finalizers [${operation.object.metadata.finalizers ?? ""}]`
      const status = operation.do === "status" && "status" in operation ? (operation.status as PersistentVolumeClaim["status"]) : undefined
      const unused = status?.conditions?.find(({ type }) => type === "Unused")
      return `Unused=${unused?.status} ${unused?.reason} at ${unused?.lastTransitionTime}`
    })
    .join("; ")
}

const running = podWith("web", "data", { node: "node-1", phase: "Running" })
const finished = podWith("web", "data", { node: "node-1", phase: "Succeeded" })
const failed: Pod = { ...running, status: { phase: "Failed" } }
const waiting = podWith("web", "data")
const other = podWith("web", "other", { node: "node-1", phase: "Running" })
const bound = { phase: "Bound", volume: "v" } as const
const isUnused = "Unused=True NoPodsUsingPVC at 2026-01-05T09:00:00Z"
const isUsed = "Unused=False PodUsingPVC at 2026-01-05T09:00:00Z"
const free = "finalizers []"

test.each<[name: string, claim: PersistentVolumeClaim, pods: readonly Pod[], expected: string]>([
  ["PVC without finalizer -> finalizer is added", claim({}, { unprotected: true }), [], `finalizers [${finalizer}]`],
  ["PVC with finalizer -> no action", claim(), [], ""],
  ["deleted PVC with finalizer; no alive pods -> finalizer is removed", claim({}, { deleted: true }), [], free],
  ["deleted PVC with finalizer + pod with the PVC exists -> finalizer is not removed", claim({}, { deleted: true }), [running], ""],
  [
    "deleted PVC with finalizer + pod with unrelated PVC and EmptyDir exists -> finalizer is removed",
    claim({}, { deleted: true }),
    [other],
    free,
  ],
  [
    "deleted PVC with finalizer + pod with the PVC finished but is not deleted -> finalizer is not removed",
    claim({}, { deleted: true }),
    [finished],
    "",
  ],
  ["updated unscheduled Pod -> finalizer is removed", claim({}, { deleted: true }), [waiting], free],
  ["deleted PVC without finalizer -> no action", claim({}, { deleted: true, unprotected: true }), [], ""],
  ["unused bound PVC with no pods -> Unused=True condition set", claim(bound), [], isUnused],
  ["pending PVC -> no Unused condition", claim(), [], ""],
  ["bound PVC already has Unused=True and is still unused -> no update", claim(bound, { unused: "True" }), [], ""],
  ["running pod references bound PVC with Unused=True -> condition set to False", claim(bound, { unused: "True" }), [running], isUsed],
  ["bound PVC in use by running pod without condition -> Unused=False set proactively", claim(bound), [running], isUsed],
  ["bound PVC in use that says so -> no update", claim(bound, { unused: "False" }), [running], ""],
  ["deleting PVC -> condition not updated, finalizer removed", claim(bound, { deleted: true }), [], free],
  ["unscheduled pending pod references bound PVC -> Unused=False set proactively", claim(bound), [waiting], isUsed],
  ["terminated (Succeeded) pod does not count as using bound PVC -> Unused=True set", claim(bound), [finished], isUnused],
  ["terminated (Failed) pod does not count as using bound PVC -> Unused=True set", claim(bound), [failed], isUnused],
  ["one of two pods deleted, remaining pod keeps bound PVC in use -> Unused=False", claim(bound), [finished, running], isUsed],
  ["pod deleted, bound PVC becomes unused -> Unused=True condition set", claim(bound, { unused: "False" }), [], isUnused],
  ["deleted PVC with finalizer and pod using it -> finalizer kept", claim(bound, { deleted: true, unused: "False" }), [running], ""],
  [
    "used bound PVC without finalizer -> finalizer added, whatever becomes of Unused=False",
    claim(bound, { unprotected: true }),
    [running],
    `finalizers [${finalizer}]`,
  ],
  [
    "used bound PVC without finalizer that says so -> finalizer added",
    claim(bound, { unprotected: true, unused: "False" }),
    [running],
    `finalizers [${finalizer}]`,
  ],
])("%s", (_name, given, pods, expected) => {
  expect(written(given, pods)).toBe(expected)
})

test("conditions of others stay where they are", () => {
  const given = claim(bound, { unused: "False" })
  const [operation] = decide({ claim: given, isBlocked: false, isUsed: false }, { now, random: seededRandom(1) }).steps.flatMap(
    (step) => step.operations,
  )
  expect(operation).toMatchObject({ status: { phase: "Bound", conditions: [{ type: "Resizing" }, { type: "Unused", status: "True" }] } })
})

describe("a claim that was made for an ephemeral volume", () => {
  const pod: Pod = {
    ...running,
    metadata: { name: "web", namespace: "default", uid: "uid-web" },
    spec: {
      ...running.spec!,
      volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: "1Gi" } } } } } }],
    },
  }
  const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid: "uid-web", controller: true }
  const made = fullClaim("web-scratch", { metadata: { ownerReferences: [owner], deletionTimestamp, finalizers: [finalizer] } })
  test.each<[string, Pod, PersistentVolumeClaim, boolean]>([
    ["is kept by its pod", pod, made, true],
    [
      "is not kept by a pod of that name that does not own it",
      pod,
      { ...made, metadata: { ...made.metadata, ownerReferences: [] } },
      false,
    ],
    [
      "is not kept by a pod that the kubelet is done with",
      { ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 } },
      made,
      false,
    ],
    [
      "is kept by a pod that still stops",
      { ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: 30 } },
      made,
      true,
    ],
  ])("%s", (_name, by, of, expected) => {
    expect(blocksDeletion(by, of)).toBe(expected)
  })
})

test("the volumes of a pod with many are gone through once, however many claims it names", () => {
  let reads = 0
  const volumes = Array.from({ length: 200 }, (_, at) => ({
    name: `v${at}`,
    get persistentVolumeClaim() {
      reads++
      return { claimName: `c${at}` }
    },
  }))
  const pod: Pod = { ...running, spec: { containers: [], ...running.spec, volumes } }
  const claims = volumes.map((_, at) => fullClaim(`c${at}`, {}))
  expect(claims.every((one) => uses(pod, one) && blocksDeletion(pod, one))).toBe(true)
  expect(uses(pod, fullClaim("other", {}))).toBe(false)
  expect(reads).toBe(200)
})
