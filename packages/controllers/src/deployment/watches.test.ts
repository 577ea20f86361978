import { controllerRef, keyOf } from "@pilothouse/api"
import { type Deployment, deployments, type ReplicaSet, replicaSets } from "@pilothouse/api/apps/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import type { Change, Index, Reader } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { deploymentController } from "./controller.ts"

const labels = { app: "foo" }
const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } }

function deployment(type: "Recreate" | "RollingUpdate", uid = "d"): Deployment {
  const spec = { selector: { matchLabels: labels }, strategy: { type }, template }
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "foo", namespace: "default", uid }, spec }
}

function set(name: string, owner?: Deployment): ReplicaSet {
  const ownerReferences = owner && [controllerRef(owner, deployments)]
  const metadata = { name, namespace: "default", uid: name, labels, ...(ownerReferences && { ownerReferences }) }
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { selector: { matchLabels: labels }, template } }
}

function podOf(owner: ReplicaSet | undefined): Pod {
  const ownerReferences = owner && [controllerRef(owner, replicaSets)]
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", labels, ...(ownerReferences && { ownerReferences }) },
  }
}

function named(pod: Pod, name: string): Pod {
  return { ...pod, metadata: { ...pod.metadata, name } }
}

/** The Deployments that a deleted pod enqueues where these are in the cache. */
function enqueuedBy(pod: Pod, ...known: readonly Known[]): readonly string[] {
  return enqueuedByChange({ type: "deleted", object: pod, finalStateUnknown: false }, ...known)
}

type Known = Deployment | ReplicaSet | Pod

function enqueuedByChange(change: Change<Pod>, ...known: readonly Known[]): readonly string[] {
  const ofPods = (deploymentController().watches ?? []).filter(({ of }) => of.plural === pods.plural)
  const watches = ofPods.filter(({ predicate: when }) => when?.(change, false) !== false)
  const get = (of: { readonly kind: string }, key: string) => known.find((one) => one.kind === of.kind && keyOf(one) === key)
  const byIndex = (index: Index<Pod>, value: string) =>
    known.filter((one) => one.kind === "Pod" && index.values(one as Pod).includes(value))
  const read = { get, byIndex } as unknown as Reader
  return watches.flatMap((watch) => watch.map(change.object, read))
}

describe("a deleted pod enqueues the Deployment that waits for its deletion", () => {
  const recreating = deployment("Recreate")
  const owned = set("foo-1", recreating)
  const orphaned = set("foo-2")
  const another = named(podOf(owned), "another")
  test.each<[name: string, pod: Pod, known: readonly Known[], expected: readonly string[]]>([
    ["PodDeletionEnqueuesRecreateDeployment", podOf(owned), [recreating, owned], ["default/foo"]],
    [
      "PodDeletionPartialReplicaSetOwnershipEnqueueRecreateDeployment: of two ReplicaSets that match one is its own, and the pod is of that",
      podOf(owned),
      [recreating, owned, orphaned],
      ["default/foo"],
    ],
    [
      "PodDeletionDoesntEnqueueRecreateDeployment: another pod of the ReplicaSet is there, and it would only go on waiting",
      podOf(owned),
      [recreating, owned, another],
      [],
    ],
    ["the other pod has finished", podOf(owned), [recreating, owned, { ...another, status: { phase: "Failed" } }], ["default/foo"]],
    [
      "the other pod is of another ReplicaSet",
      podOf(owned),
      [recreating, owned, orphaned, named(podOf(orphaned), "another")],
      ["default/foo"],
    ],
    ["a pod of an orphaned ReplicaSet", podOf(orphaned), [recreating, owned, orphaned], []],
    ["an orphaned pod, though its labels match", podOf(undefined), [recreating, owned], []],
    ["one of a Deployment that rolls does not: its ReplicaSets tell", podOf(owned), [deployment("RollingUpdate"), owned], []],
    ["a Deployment that was created again under the name", podOf(owned), [deployment("Recreate", "other"), owned], []],
    [
      "a ReplicaSet that was created again under the name",
      podOf({ ...owned, metadata: { ...owned.metadata, uid: "x" } }),
      [recreating, owned],
      [],
    ],
    ["a ReplicaSet that is gone", podOf(owned), [recreating], []],
  ])("%s", (_name, pod, known, expected) => {
    expect(enqueuedBy(pod, ...known)).toEqual(expected)
  })
})

describe("of the other changes of its pods only the end of one enqueues a Deployment that recreates", () => {
  const recreating = deployment("Recreate")
  const owned = set("foo-1", recreating)
  const running: Pod = { ...podOf(owned), status: { phase: "Running" } }
  const ready: Pod = { ...running, status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } }
  const finished: Pod = { ...running, status: { phase: "Succeeded" } }
  const stopping: Pod = { ...running, metadata: { ...running.metadata, deletionTimestamp: "2026-01-05T09:00:00Z" } }
  test.each<[name: string, change: Change<Pod>, expected: readonly string[]]>([
    ["it came", { type: "added", object: running }, []],
    ["it became ready", { type: "updated", old: running, object: ready }, []],
    ["it became unready", { type: "updated", old: ready, object: running }, []],
    ["it is to stop", { type: "updated", old: running, object: stopping }, []],
    ["it has finished", { type: "updated", old: running, object: finished }, ["default/foo"]],
    ["it had finished before", { type: "updated", old: finished, object: { ...finished } }, []],
    ["nothing happened", { type: "resync", object: running }, []],
    ["it is deleted, and the watch missed it", { type: "deleted", object: running, finalStateUnknown: true }, ["default/foo"]],
  ])("%s", (_name, change, expected) => {
    expect(enqueuedByChange(change, recreating, owned)).toEqual(expected)
  })
})
