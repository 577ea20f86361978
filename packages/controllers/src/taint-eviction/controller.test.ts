import { serviceUnavailable } from "@pilothouse/api"
import { events, namespaces, nodes, type Pod, pods, type Taint } from "@pilothouse/api/core/v1"
import { createManager } from "@pilothouse/runtime"
import { seededRandom, silentLog } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { taintEvictionController } from "./controller.ts"

const only = { controllers: ["taint-eviction-controller"] }

function pod(name: string, seconds?: number, more: Partial<Pod["metadata"]> = {}): Pod {
  const tolerations = [
    {
      key: "broken",
      operator: "Exists" as const,
      ...(seconds !== undefined && { tolerationSeconds: seconds, effect: "NoExecute" as const }),
    },
  ]
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", ...more },
    spec: { nodeName: "node-1", containers: [{ name: "a", image: "a" }], tolerations: name === "bare" ? [] : tolerations },
  }
}

async function taint(running: Cluster, ...keys: readonly string[]): Promise<void> {
  const taints: readonly Taint[] = keys.map((key) => ({ key, effect: "NoExecute" }))
  await running.client.patch(nodes, "node-1", { spec: { taints } })
}

async function names(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(pods)).map(({ metadata }) => metadata.name).sort()
}

async function said(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(events)).filter(({ reason }) => reason === "TaintManagerEviction").map(({ message }) => message)
}

describe("a node gets a taint that makes pods leave", () => {
  test("UpdateNodeWithMultiplePods: each goes when its own time is over", async () => {
    await using running = await cluster(only)
    for (const one of [pod("bare"), pod("brief", 10), pod("long", 60), pod("for-ever")]) await running.apply(one)
    await running.settled()
    await taint(running, "broken")
    await running.settled()
    expect(await names(running)).toEqual(["brief", "for-ever", "long"])
    await running.advance("9s")
    expect(await names(running)).toEqual(["brief", "for-ever", "long"])
    await running.advance("1s")
    expect(await names(running)).toEqual(["for-ever", "long"])
    await running.advance("10m")
    expect(await names(running)).toEqual(["for-ever"])
    expect(await said(running)).toEqual(["bare", "brief", "long"].map((name) => `Marking for deletion Pod default/${name}`))
  })

  test("Taint removed: the time is cancelled, and the next taint sets a new one", async () => {
    await using running = await cluster(only)
    await running.apply(pod("brief", 10))
    await running.settled()
    await taint(running, "broken")
    await running.advance("9s")
    await taint(running)
    await running.advance("1m")
    expect([await names(running), await said(running)]).toEqual([["brief"], ["Cancelling deletion of Pod default/brief"]])
    await taint(running, "broken")
    await running.advance("9s")
    expect(await names(running)).toEqual(["brief"])
    await running.advance("1s")
    expect(await names(running)).toEqual([])
  })

  test("UpdateNodeWithMultipleTaints: one of two is taken away, the other still counts", async () => {
    await using running = await cluster(only)
    await running.apply(pod("brief", 30))
    await running.settled()
    await taint(running, "broken")
    await running.advance("10s")
    await taint(running, "broken", "worse")
    await running.settled()
    expect(await names(running)).toEqual([])
  })

  test("EventualConsistency: pods that come later go by the same rules", async () => {
    await using running = await cluster(only)
    await taint(running, "broken")
    await running.settled()
    await running.apply(pod("bare"))
    await running.apply(pod("brief", 5))
    await running.settled()
    expect(await names(running)).toEqual(["brief"])
    await running.advance("5s")
    expect(await names(running)).toEqual([])
  })

  test("a pod with a finalizer shows why it is evicted, with one event", async () => {
    let writes = 0
    const layer: ClusterOptions["layer"] = (inner) => (request) => {
      if (request.verb !== "GET" && request.path.includes("/pods/bare")) writes++
      return inner(request)
    }
    await using running = await cluster({ ...only, layer })
    await running.apply(pod("bare", undefined, { finalizers: ["example.com/held"] }))
    await running.settled()
    writes = 0
    await taint(running, "broken")
    await running.settled()
    const left = await running.client.get(pods, "default/bare")
    expect(left.status?.conditions).toContainEqual(expect.objectContaining({ type: "DisruptionTarget", reason: "DeletionByTaintManager" }))
    expect(left.metadata.deletionTimestamp).toBeDefined()
    const before = writes
    await running.advance("5m")
    // The kubelet stops it at once, and again at every sync; the condition and one delete are the controller's.
    expect(before).toBeLessThanOrEqual(4)
  })
})

test("a node that is lost takes its pods five minutes later: with node-lifecycle and the tolerations that admission gives", async () => {
  await using running = await cluster({ controllers: ["nodelifecycle", "taint-eviction", "podgc"], nodes: 2 })
  await running.apply({ ...pod("bare"), metadata: { name: "bare", namespace: "default" } })
  await running.settled()
  await running.client.patch(nodes, "node-1", { metadata: { annotations: { "pilothouse.dev/paused": "true" } } })
  await running.advance("5m")
  expect((await running.client.get(pods, "default/bare")).metadata.deletionTimestamp).toBeUndefined()
  await running.advance("70s")
  const left = await running.client.get(pods, "default/bare")
  expect(left.metadata.deletionTimestamp).toBeDefined()
  expect(left.status?.conditions).toContainEqual(expect.objectContaining({ type: "DisruptionTarget", status: "True" }))
})

describe("bad weather", () => {
  test("a failed delete is retried with backoff, and the other pods are deleted", async () => {
    let tries = 0
    const layer: ClusterOptions["layer"] = (inner) => (request) => {
      if (request.verb !== "DELETE" || !request.path.endsWith("/pods/held") || tries++ > 20) return inner(request)
      return Promise.reject(serviceUnavailable("not now"))
    }
    await using running = await cluster({ ...only, layer })
    await running.apply(pod("held", 5))
    await running.apply(pod("other", 5))
    await running.settled()
    await taint(running, "broken")
    await running.advance("20s")
    expect(await names(running)).toEqual(["held"])
    expect(tries).toBeLessThan(20)
    await running.advance("15m")
    expect(await names(running)).toEqual([])
  })

  test("a namespace that goes away while pods wait leaves nothing behind", async () => {
    await using running = await cluster({ controllers: ["taint-eviction", "namespace"] })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
    await running.apply(pod("brief", 30, { namespace: "shop" }))
    await running.settled()
    await taint(running, "broken")
    await running.advance("5s")
    await running.client.delete(namespaces, "shop")
    await running.advance("5m")
    expect(await names(running)).toEqual([])
    expect((await running.list(namespaces)).map(({ metadata }) => metadata.name)).not.toContain("shop")
  })

  test("a crash at any call ends the same", async () => {
    const report = await crashPoints(
      {
        cluster: only,
        async run(running) {
          for (const one of [pod("bare"), pod("brief", 10), pod("for-ever")]) await running.apply(one)
          await running.advance("20s")
          await taint(running, "broken")
          await running.advance("2m")
        },
        end: names,
      },
      { sample: 10, seed: 3, writers: ["taint-eviction-controller"] },
    )
    expect(report.tried).toBe(10)
  })
})

test("in a dry run too the time begins once, and the plan to delete comes when it is over", async () => {
  await using running = await cluster({ controllers: [] })
  const { transport, clock } = running
  const stopping = new AbortController()
  const options = { transport, clock, random: seededRandom(2), log: silentLog, grace: 0, dryRun: true }
  const manager = createManager({ ...options, controllers: [taintEvictionController()] })
  const done = manager.run(stopping.signal)
  await running.apply(pod("brief", 60))
  await taint(running, "broken")
  await running.advance("30s")
  // Enqueued in between: a timer that was not remembered would restart.
  await running.client.patch(nodes, "node-1", { spec: { taints: [{ key: "broken", value: "still", effect: "NoExecute" }] } })
  await running.advance("29s")
  const deletions = () =>
    manager.trace
      .entries()
      .flatMap(({ plan }) => plan?.steps ?? [])
      .flatMap(({ operations }) => operations)
  expect(deletions().map((operation) => operation.do)).toEqual(["remember-timer"])
  await running.advance("1s")
  expect(
    deletions()
      .map((operation) => operation.do)
      .slice(0, 4),
  ).toEqual(["remember-timer", "remember-timer", "patch", "delete"])
  expect(await names(running)).toEqual(["brief"])
  stopping.abort()
  await running.settled()
  await done
})
