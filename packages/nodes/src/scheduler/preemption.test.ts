import { nodes, type Pod, type PodSpec, pods } from "@pilothouse/api/core/v1"
import type { PriorityClass } from "@pilothouse/api/scheduling/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"

const important: PriorityClass = {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name: "important" },
  value: 1000,
}

/** A pod that takes a minute to stop. */
function pod(name: string, cpu: string, spec: Partial<PodSpec> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, annotations: { "pilothouse.dev/stop-time": "60s" } },
    spec: { terminationGracePeriodSeconds: 120, containers: [{ name: "a", image: "a", resources: { requests: { cpu } } }], ...spec },
  }
}

/** A node of 4 cores, three of them used by a pod that is evicted for one that requests all four. */
async function started(): Promise<Cluster> {
  const running = await cluster({ controllers: [] })
  await running.settled()
  const node = await running.client.get(nodes, "node-1")
  await running.client.updateStatus(nodes, { ...node, status: { ...node.status, allocatable: { ...node.status?.allocatable, cpu: "4" } } })
  await running.apply(important)
  await running.apply(pod("old", "3"))
  await running.settled()
  await running.apply(pod("wants-all", "4", { priorityClassName: "important" }))
  await running.advance("1s")
  return running
}

async function placed(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(pods)).filter(({ spec }) => spec?.nodeName).map(({ metadata }) => metadata.name)
}

test("a pod of low priority took the room that was being made for one of high priority, and was made to leave as well", async () => {
  await using running = await started()
  expect((await running.client.get(pods, "default/wants-all")).status?.nominatedNodeName).toBe("node-1")
  await running.apply(pod("thief", "1"))
  await running.advance("30s")
  expect(await placed(running)).toEqual(["old"])
  await running.advance("2m")
  expect(await placed(running)).toEqual(["wants-all"])
  const thief = await running.client.get(pods, "default/thief")
  expect([thief.metadata.deletionTimestamp, thief.status?.conditions?.[0]?.message]).toEqual([
    undefined,
    expect.stringMatching(/^0\/1 nodes are available: 1 Insufficient cpu\./),
  ])
})

test("the capacity is free for every pod again when the pod that it was freed for is deleted", async () => {
  await using running = await started()
  await running.apply(pod("next", "1"))
  await running.advance("5s")
  expect(await placed(running)).toEqual(["old"])
  await running.client.delete(pods, "default/wants-all")
  await running.advance("5s")
  expect(await placed(running)).toEqual(["next", "old"])
})
