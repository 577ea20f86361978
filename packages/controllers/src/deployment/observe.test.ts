import { controllerRef, type KubeObject, keyOf } from "@pilothouse/api"
import { type Deployment, deployments, type ReplicaSet } from "@pilothouse/api/apps/v1"
import type { Index, Reader } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { observe, podsByController } from "./observe.ts"
import { podOf } from "./testing/objects.ts"

const labels = { app: "foo" }
const templateOf = (image: string) => ({ metadata: { labels }, spec: { containers: [{ name: "a", image }] } })

function deployment(type: "Recreate" | "RollingUpdate"): Deployment {
  const spec = { selector: { matchLabels: labels }, strategy: { type }, template: templateOf("a:2") }
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "foo", namespace: "default", uid: "d" }, spec }
}

function setOf(owner: Deployment, name: string, image: string): ReplicaSet {
  const metadata = { name, namespace: "default", uid: name, labels, ownerReferences: [controllerRef(owner, deployments)] }
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { selector: { matchLabels: labels }, template: templateOf(image) } }
}

/** The pods that a reconcile of the Deployment reads, with an old and a new ReplicaSet of one pod each. */
async function podsRead(
  type: "Recreate" | "RollingUpdate",
): Promise<{ readonly asked: readonly string[]; readonly seen: readonly string[] }> {
  const of = deployment(type)
  const sets = [setOf(of, "old", "a:1"), setOf(of, "new", "a:2")]
  const asked: string[] = []
  const byIndex = (index: Index, value: string): readonly KubeObject[] => {
    if (index !== (podsByController as Index)) return index.name === "controller-uid" ? sets : []
    asked.push(value)
    return sets.filter(({ metadata }) => metadata.uid === value).map((set) => podOf(set, "Running"))
  }
  const found = await observe(keyOf(of), { get: () => of, byIndex } as unknown as Reader)
  return { asked, seen: (found?.pods ?? []).map(({ metadata }) => metadata.name ?? "") }
}

test("Recreate waits for the pods of old ReplicaSets only: those of the new one, which may be many, are not read", async () => {
  expect(await podsRead("Recreate")).toEqual({ asked: ["old"], seen: ["old-Running"] })
})

test("a rolling update reads no pods: the ReplicaSets have the numbers", async () => {
  expect(await podsRead("RollingUpdate")).toEqual({ asked: [], seen: [] })
})
