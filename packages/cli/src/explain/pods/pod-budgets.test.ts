import type { KubeObject } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { budgetLines, evictionLines } from "./pod-budgets.ts"

const labels = { app: "web" }
const containers = [{ name: "web", image: "web" }]

function budget(name: string, minAvailable: number, app: string): KubeObject & { readonly spec: object } {
  const spec = { minAvailable, selector: { matchLabels: { app } } }
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name, namespace: "default" }, spec }
}

test("a drain hung, and nothing said why: a budget that allows nothing is named, others are not; two on one pod never let it go", async () => {
  await using running = await cluster({ controllers: ["disruption", "replicaset", "node-lifecycle-controller"], nodes: 1 })
  const template = { metadata: { labels }, spec: { containers } }
  const spec = { replicas: 2, selector: { matchLabels: labels }, template }
  await running.apply({ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "web", namespace: "default" }, spec } as KubeObject)
  for (const one of [budget("strict", 2, "web"), budget("other", 9, "db")]) await running.apply(one)
  await running.advance("30s")
  const [pod] = await running.list(pods, { namespace: "default" })
  expect(await budgetLines(running.client, pod!)).toEqual([
    "it cannot be evicted now: its disruption budget strict requires 2 of 2 pods healthy, and 2 are",
  ])
  await running.apply(budget("lax", 1, "web"))
  await running.advance("30s")
  expect(await budgetLines(running.client, pod!)).toEqual([
    "it cannot be evicted: it has more than one disruption budget (lax, strict), and an eviction is refused unless there is only one",
  ])
  await expect(running.client.evict(`default/${pod!.metadata.name}`)).rejects.toThrow("more than one PodDisruptionBudget")
})

test("names a budget without a status, which holds a drain where its controller does not run", async () => {
  await using running = await cluster({ controllers: ["replicaset"], nodes: 1 })
  const template = { metadata: { labels }, spec: { containers } }
  const spec = { replicas: 1, selector: { matchLabels: labels }, template }
  await running.apply({ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "web", namespace: "default" }, spec } as KubeObject)
  await running.apply(budget("strict", 0, "web"))
  await running.advance("30s")
  const [pod] = await running.list(pods, { namespace: "default" })
  expect(await budgetLines(running.client, pod!)).toEqual([
    "it cannot be evicted yet: since its disruption budget strict was made or changed, disruption-controller has not counted its pods",
  ])
  await expect(running.client.evict(`default/${pod!.metadata.name}`)).rejects.toThrow("Cannot evict pod")
})

const used: PodDisruptionBudget["status"] = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 }
const held = ["it cannot be evicted now: its disruption budget strict requires 1 of 2 pods healthy, and 1 are"]
const lacking = ["it cannot be evicted now: its disruption budget strict requires 2 of 2 pods healthy, and 1 are"]

test.each<
  [
    name: string,
    pod: { phase?: NonNullable<Pod["status"]>["phase"]; ready?: boolean; deleted?: boolean },
    budget: object,
    lines: readonly string[],
  ]
>([
  ["a ready pod waits for its budget", { ready: true }, {}, held],
  ["a Pending pod may go", { phase: "Pending" }, {}, []],
  ["a Succeeded pod may go", { phase: "Succeeded" }, {}, []],
  ["a Failed pod may go", { phase: "Failed" }, {}, []],
  ["a deleted pod goes already", { ready: true, deleted: true }, {}, []],
  ["one that is not ready may go while enough others are healthy", {}, {}, []],
  ["it waits while too few are", {}, { desiredHealthy: 2 }, lacking],
  ["unless its budget lets such pods go", {}, { desiredHealthy: 2, policy: "AlwaysAllow" }, []],
  ["a budget with a disruption left holds no pod", { ready: true }, { disruptionsAllowed: 1 }, []],
])("%s", (_name, { phase = "Running", ready = false, deleted }, { policy, ...status }: { policy?: string }, lines) => {
  const metadata = { name: "web", namespace: "default", labels, ...(deleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }) }
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }]
  const strict = budget("strict", 1, "web")
  const spec = { ...strict.spec, unhealthyPodEvictionPolicy: policy }
  const guard = { ...strict, spec, status: { ...used, ...status } } as PodDisruptionBudget
  expect(evictionLines({ apiVersion: "v1", kind: "Pod", metadata, status: { phase, conditions } }, [guard])).toEqual(lines)
})
