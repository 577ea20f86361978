import type { Pod } from "@pilothouse/api/core/v1"
import type { PodGroup } from "@pilothouse/api/scheduling/v1alpha2"
import { expect, test } from "vitest"
import { activePodsByGroup, decide, finalizer, releasesGroup } from "./controller.ts"

const deletionTimestamp = "2026-01-05T08:00:00Z"

function group({ deleted = false, isProtected = true }): PodGroup {
  const metadata = { name: "g", namespace: "default", ...(isProtected && { finalizers: [finalizer, "example.com/other"] }) }
  return {
    apiVersion: "scheduling.k8s.io/v1alpha2",
    kind: "PodGroup",
    metadata: { ...metadata, ...(deleted && { deletionTimestamp }) },
    spec: { schedulingPolicy: { basic: {} } },
  }
}

function pod(podGroupName: string | undefined, phase: "Running" | "Succeeded" | "Failed" = "Running", uid = "1"): Pod {
  const spec = { containers: [], ...(podGroupName && { schedulingGroup: { podGroupName } }) }
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default", uid }, spec, status: { phase } }
}

test.each<[what: string, group: PodGroup, user: string | undefined, expected: string]>([
  ["a new group without the finalizer", group({ isProtected: false }), undefined, ""],
  ["a new group without the finalizer that a pod names", group({ isProtected: false }), "p", ""],
  ["a group that is not deleted", group({}), undefined, ""],
  ["a deleted group that no pod names", group({ deleted: true }), undefined, "example.com/other"],
  ["a deleted group that a pod names", group({ deleted: true }), "p", ""],
  ["a deleted group without the finalizer", group({ deleted: true, isProtected: false }), undefined, ""],
  ["a deleted group without the finalizer that a pod names", group({ deleted: true, isProtected: false }), "p", ""],
])("%s", (_what, given, user, expected) => {
  const made = decide({ group: given, ...(user && { user }) }).steps.flatMap(({ operations }) => operations)
  const left = made.map((operation) => (operation.do === "update" && "object" in operation ? operation.object.metadata.finalizers : []))
  expect(left.join()).toBe(expected)
})

test.each<[what: string, pod: Pod, expected: readonly string[]]>([
  ["a running pod", pod("g"), ["default/g"]],
  ["a pod that has succeeded", pod("g", "Succeeded"), []],
  ["a pod that has failed", pod("g", "Failed"), []],
  ["a pod without a group", pod(undefined), []],
])("%s counts as active in %j", (_what, given, expected) => {
  expect(activePodsByGroup.values(given)).toEqual(expected)
})

test.each<[what: string, change: Parameters<typeof releasesGroup>[0], expected: boolean]>([
  ["a pod that is gone", { type: "deleted", object: pod("g"), finalStateUnknown: false }, true],
  ["a pod that succeeded", { type: "updated", old: pod("g"), object: pod("g", "Succeeded") }, true],
  ["a pod that failed", { type: "updated", old: pod("g"), object: pod("g", "Failed") }, true],
  ["a pod that was replaced by another of its name", { type: "updated", old: pod("g"), object: pod("h", "Running", "2") }, true],
  ["a pod that was there finished", { type: "added", object: pod("g", "Succeeded") }, true],
  ["a new pod", { type: "added", object: pod("g") }, false],
  ["a pod that still runs", { type: "updated", old: pod("g"), object: pod("g") }, false],
])("whether %s releases its group", (_what, change, expected) => {
  expect(releasesGroup(change)).toBe(expected)
})
