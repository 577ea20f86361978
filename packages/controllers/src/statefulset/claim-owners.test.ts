import { controllerRef, type OwnerReference } from "@pilothouse/api"
import { type StatefulSet, statefulSets } from "@pilothouse/api/apps/v1"
import { pods as podKind } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { hasOtherController, newOwners, waitsForDeletion } from "./claims.ts"
import { decide } from "./decide.ts"
import { claimOf, context, movesOf, observed, pod, statefulSet, withClaims } from "./testing/objects.ts"

type Policy = "Retain" | "Delete"
const set = (whenScaled: Policy, whenDeleted: Policy, replicas = 3): StatefulSet =>
  statefulSet(replicas, { spec: { ...withClaims, persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } } })

const ofSet = controllerRef(statefulSet(1), statefulSets)
const ofPod = controllerRef(pod(1), podKind)
const stranger: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "other-1" }
const manager: OwnerReference = { ...stranger, controller: true }

interface Row {
  readonly name: string
  readonly of: StatefulSet
  readonly now: readonly OwnerReference[]
  /** Undefined: they are left as they are. */
  readonly expected?: readonly OwnerReference[]
}

/** With one replica web-1 is scaled down. */
const rows: readonly Row[] = [
  { name: "retain all: none", of: set("Retain", "Retain"), now: [] },
  { name: "retain all: ours are taken away", of: set("Retain", "Retain"), now: [ofSet, stranger], expected: [stranger] },
  { name: "delete with the set: the set", of: set("Retain", "Delete"), now: [], expected: [ofSet] },
  { name: "delete with the set, scaled down: the set", of: set("Retain", "Delete", 1), now: [], expected: [ofSet] },
  { name: "delete with the set: right already", of: set("Retain", "Delete"), now: [ofSet, stranger] },
  { name: "delete with the set: the pod is taken away", of: set("Retain", "Delete"), now: [ofPod], expected: [ofSet] },
  { name: "delete when scaled: none while the pod is wanted", of: set("Delete", "Retain"), now: [] },
  { name: "delete when scaled: the pod is taken away when it is wanted again", of: set("Delete", "Retain"), now: [ofPod], expected: [] },
  { name: "delete when scaled, scaled down: the pod", of: set("Delete", "Retain", 1), now: [], expected: [ofPod] },
  { name: "delete when scaled, scaled down: right already", of: set("Delete", "Retain", 1), now: [ofPod] },
  { name: "delete both: the set", of: set("Delete", "Delete"), now: [], expected: [ofSet] },
  { name: "delete both, scaled down: the pod instead of the set", of: set("Delete", "Delete", 1), now: [ofSet], expected: [ofPod] },
  { name: "delete both: right already", of: set("Delete", "Delete"), now: [ofSet] },
  {
    name: "an owner that is no controller becomes one",
    of: set("Retain", "Delete"),
    now: [{ ...ofSet, controller: undefined }],
    expected: [ofSet],
  },
  { name: "an earlier set of the name: not ours to change", of: set("Retain", "Delete"), now: [{ ...ofSet, uid: "older" }] },
  { name: "an earlier pod of the name: not ours to change", of: set("Delete", "Delete"), now: [{ ...ofPod, uid: "older" }] },
  { name: "another controller: ours steps back", of: set("Delete", "Delete"), now: [manager, ofSet], expected: [manager] },
  { name: "another controller: nothing is added", of: set("Delete", "Delete"), now: [manager] },
  { name: "another controller is no matter when all is retained", of: set("Retain", "Retain"), now: [manager] },
]

describe("the owners of a claim (IsClaimOwnerUpToDate, UpdateClaimOwnerRefForSetAndPod)", () => {
  test.each(rows)("$name", ({ of, now, expected }) => {
    expect(newOwners(claimOf(1, { ownerReferences: now }), { set: of, pod: pod(1) })).toEqual(expected)
  })

  test.each(rows)("and then they are right: $name", ({ of, now }) => {
    const changed = newOwners(claimOf(1, { ownerReferences: now }), { set: of, pod: pod(1) }) ?? now
    expect(newOwners(claimOf(1, { ownerReferences: changed }), { set: of, pod: pod(1) })).toBeUndefined()
  })
})

describe("claims of pods that were there before", () => {
  const missing = { ...pod(1), metadata: { name: "web-1" } }
  const stale = claimOf(1, { ownerReferences: [{ ...ofPod, uid: "older" }] })

  test.each([
    { name: "wait for their deletion when scaling deletes", of: set("Delete", "Retain"), claim: stale, expected: true },
    { name: "are used again when scaling retains", of: set("Retain", "Retain"), claim: stale, expected: false },
    { name: "are reused when they have no owner", of: set("Delete", "Retain"), claim: claimOf(1), expected: false },
  ])("$name (PodClaimIsStale)", ({ of, claim, expected }) => {
    expect(waitsForDeletion(claim, { set: of, pod: missing })).toBe(expected)
  })

  test("no pod is made until they are gone (StaleOwnerRefOnScaleup)", () => {
    const plan = decide(observed(set("Delete", "Retain", 2), { pods: [pod(0, {}, withClaims)], claims: [claimOf(0), stale] }), context)
    expect(movesOf(plan)).toEqual([])
    expect(plan.waitingFor).toEqual(["the claim data-web-1 of an earlier web-1 to be gone"])
  })
})

describe("in a plan", () => {
  test("a new claim has its owner from the start", () => {
    const plan = decide(observed(set("Retain", "Delete", 1)), context)
    expect(plan.steps.flatMap(({ operations }) => operations)[0]).toMatchObject({ object: { metadata: { ownerReferences: [ofSet] } } })
  })

  test("the claim of a pod that goes belongs to it before it goes", () => {
    const given = [pod(0, {}, withClaims), pod(1, {}, withClaims)]
    const plan = decide(observed(set("Delete", "Retain", 1), { pods: given, claims: [claimOf(0), claimOf(1)] }), context)
    expect(movesOf(plan)).toEqual(["update data-web-1", "delete web-1"])
    expect(plan.steps.filter(({ operations }) => operations.length > 0).map(({ operations }) => operations.length)).toEqual([1, 1])
  })

  test("a policy that changed is followed for pods that run", () => {
    const plan = decide(observed(set("Retain", "Delete", 1), { pods: [pod(0, {}, withClaims)], claims: [claimOf(0)] }), context)
    expect(movesOf(plan)).toEqual(["update data-web-0"])
  })

  test("reports another controller (HasUnexpectedController)", () => {
    const claim = claimOf(0, { ownerReferences: [manager] })
    expect(hasOtherController(claim, { set: set("Delete", "Delete"), pod: pod(0) })).toBe(true)
    const { events } = decide(observed(set("Delete", "Delete", 1), { claims: [claim] }), context)
    expect(events).toMatchObject([{ type: "Warning", reason: "ConflictingController" }])
  })
})
