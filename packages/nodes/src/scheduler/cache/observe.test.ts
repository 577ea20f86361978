import { namespaces, type Pod, type PodAffinityTerm, type PodSpec, pods } from "@pilothouse/api/core/v1"
import { type PodDisruptionBudget, podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import type { PriorityClass } from "@pilothouse/api/scheduling/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"

interface Given extends Partial<PodSpec> {
  readonly namespace?: string
  readonly labels?: Record<string, string>
  readonly cpu?: string
}

function pod(name: string, { namespace = "default", labels, cpu, ...spec }: Given = {}): Pod {
  const resources = cpu === undefined ? undefined : { requests: { cpu, memory: "1Gi" } }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: "a", image: "a", resources }], ...spec },
  }
}

async function nodeOf(running: Cluster, key: string): Promise<string | undefined> {
  return (await running.client.get(pods, key)).spec?.nodeName
}

test("pods of one Service come to different nodes, though one of these has more room", async () => {
  await using running = await cluster({ controllers: [], nodes: 2 })
  const app = { app: "web" }
  await running.apply({ apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { selector: app, ports: [{ port: 80 }] } })
  await running.apply(pod("busy", { cpu: "3" }))
  for (const name of ["one", "two"]) {
    await running.settled()
    await running.apply(pod(name, { labels: app }))
  }
  await running.settled()
  expect(await nodeOf(running, "default/one")).not.toBe(await nodeOf(running, "default/busy"))
  expect(await nodeOf(running, "default/two")).not.toBe(await nodeOf(running, "default/one"))
})

describe("namespaces by their labels", () => {
  const term = (matchLabels: Record<string, string>): PodAffinityTerm => ({
    topologyKey: "kubernetes.io/hostname",
    labelSelector: { matchLabels: { app: "x" } },
    namespaceSelector: { matchLabels },
  })
  const start = async () => {
    const running = await cluster({ controllers: [], nodes: 1 })
    await running.client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "other", labels: { team: "x" } } })
    await running.settled()
    return running
  }
  const affinity = (team: string): PodSpec["affinity"] => ({
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term({ team })] },
  })

  test("a pod finds the one that it wants to be near", async () => {
    await using running = await start()
    await running.apply(pod("there", { namespace: "other", labels: { app: "x" } }))
    await running.settled()
    await running.apply(pod("near", { affinity: affinity("x") }))
    await running.apply(pod("lost", { affinity: affinity("y") }))
    await running.settled()
    expect([await nodeOf(running, "default/near"), await nodeOf(running, "default/lost")]).toEqual(["node-1", undefined])
  })

  test("a pod of such a namespace is not wanted", async () => {
    await using running = await start()
    const averse = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term({ team: "x" })] } }
    await running.apply(pod("averse", { affinity: averse }))
    await running.settled()
    await running.apply(pod("unwanted", { namespace: "other", labels: { app: "x" } }))
    await running.apply(pod("wanted", { labels: { app: "x" } }))
    await running.settled()
    expect([await nodeOf(running, "other/unwanted"), await nodeOf(running, "default/wanted")]).toEqual([undefined, "node-1"])
  })
})

test("a budget keeps a pod from having to leave", async () => {
  await using running = await cluster({ controllers: [], nodes: 2 })
  const important: PriorityClass = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "important" }, value: 10 }
  const budget: PodDisruptionBudget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "default" },
    spec: { selector: { matchLabels: { app: "kept" } }, maxUnavailable: 0 },
  }
  await running.apply(important)
  const made = await running.client.create(podDisruptionBudgets, budget)
  const status = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 }
  await running.client.updateStatus(podDisruptionBudgets, { ...made, status })
  await running.apply(pod("a-kept", { cpu: "32", labels: { app: "kept" } }))
  await running.settled()
  await running.apply(pod("free", { cpu: "32" }))
  await running.settled()
  await running.apply(pod("new", { cpu: "1", priorityClassName: "important" }))
  await running.advance("2m")
  expect((await running.list(pods)).map(({ metadata }) => metadata.name)).toEqual(["a-kept", "new"])
})

describe("a pod that waits and is changed itself is looked at again", () => {
  test("it tolerates what it did not", async () => {
    await using running = await cluster({ controllers: [], nodes: 0 })
    await running.apply({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n" },
      spec: { taints: [{ key: "k", effect: "NoSchedule" }] },
      status: { allocatable: { pods: "9" } },
    } as never)
    await running.apply(pod("p"))
    await running.settled()
    expect(await nodeOf(running, "default/p")).toBeUndefined()
    const found = await running.client.get(pods, "default/p")
    const tolerations = [...(found.spec?.tolerations ?? []), { key: "k", operator: "Exists" as const }]
    await running.client.update(pods, { ...found, spec: { ...found.spec!, tolerations } })
    await running.settled()
    expect(await nodeOf(running, "default/p")).toBe("n")
  })

  test("its last gate is gone", async () => {
    await using running = await cluster({ controllers: [] })
    await running.apply(pod("p", { schedulingGates: [{ name: "example.com/wait" }] }))
    await running.settled()
    await running.client.patch(pods, "default/p", { spec: { schedulingGates: null } })
    await running.settled()
    expect(await nodeOf(running, "default/p")).toBe("node-1")
  })

  test("it has other labels, and is no longer unwanted", async () => {
    await using running = await cluster({ controllers: [] })
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "x" } } }
    await running.apply(pod("averse", { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }))
    await running.settled()
    await running.apply(pod("p", { labels: { app: "x" } }))
    await running.settled()
    expect(await nodeOf(running, "default/p")).toBeUndefined()
    await running.client.patch(pods, "default/p", { metadata: { labels: { app: "y" } } })
    await running.settled()
    expect(await nodeOf(running, "default/p")).toBe("node-1")
  })
})
