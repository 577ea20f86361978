import { events, nodes, type Pod, type PodSpec, pods } from "@pilothouse/api/core/v1"
import type { PriorityClass } from "@pilothouse/api/scheduling/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"

function pod(name: string, spec: Partial<PodSpec> = {}, labels?: Record<string, string>): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels }, spec: { containers: [{ name: "a", image: "a" }], ...spec } }
}

/** A cluster of one node that takes one pod. */
function withRoomForOne(layer?: ClusterOptions["layer"]): Promise<Cluster> {
  return withRoomFor("1", layer)
}

async function withRoomFor(count: string, layer?: ClusterOptions["layer"]): Promise<Cluster> {
  const running = await cluster({ controllers: [], layer })
  await running.settled()
  const node = await running.client.get(nodes, "node-1")
  await running.client.updateStatus(nodes, {
    ...node,
    status: { ...node.status, allocatable: { ...node.status?.allocatable, pods: count } },
  })
  return running
}

async function scheduled(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(pods)).filter(({ spec }) => spec?.nodeName).map(({ metadata }) => metadata.name)
}

const departures: readonly [string, (running: Cluster) => Promise<unknown>][] = [
  ["is deleted", (running) => running.client.delete(pods, "default/first")],
  ["finishes", (running) => running.client.patch(pods, "default/first", { status: { phase: "Succeeded" } }, { subresource: "status" })],
]

describe("a pod that found every node full", () => {
  test.each(departures)("gets the room of one that %s", async (_how, leave) => {
    await using running = await withRoomForOne()
    await running.apply(pod("first"))
    await running.settled()
    await running.apply(pod("second"))
    await running.settled()
    expect(await scheduled(running)).toEqual(["first"])
    await leave(running)
    await running.settled()
    expect(await scheduled(running)).toContain("second")
  })
})

/** The watch of pods is slower than the controllers; `clock` is that of the cluster once it is to be so. */
function laggingPods(lag: { clock?: Cluster["clock"] }): ClusterOptions["layer"] {
  async function* late<Frame>(frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
    for await (const frame of frames) {
      await lag.clock?.sleep(50, { name: "lag of the pods" })
      yield frame
    }
  }
  return (inner) => async (request) => {
    const { body, ...response } = await inner(request)
    return { ...response, body: body.type === "stream" && request.path === "/api/v1/pods" ? { ...body, frames: late(body.frames) } : body }
  }
}

test("a cache that lags does not make the scheduler give one place to three pods", async () => {
  const lag: { clock?: Cluster["clock"] } = {}
  await using running = await withRoomForOne(laggingPods(lag))
  await running.client.patch(nodes, "node-1", { spec: { unschedulable: true } })
  for (const name of ["a", "b", "c"]) await running.apply(pod(name))
  await running.settled()
  lag.clock = running.clock
  // All three wake at once.
  await running.client.patch(nodes, "node-1", { spec: { unschedulable: null } })
  await running.advance("10s")
  expect(await scheduled(running)).toHaveLength(1)
  await running.client.delete(pods, `default/${(await scheduled(running))[0]}`)
  await running.advance("10s")
  expect(await scheduled(running)).toHaveLength(1)
})

describe("whose turn it is", () => {
  const priorities: readonly PriorityClass[] = [
    { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "low" }, value: 10 },
    { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "high" }, value: 1000 },
  ]

  test("the pods of the highest priority are scheduled first, in whatever order they came", async () => {
    await using running = await withRoomFor("2")
    for (const priority of priorities) await running.apply(priority)
    await running.client.patch(nodes, "node-1", { spec: { unschedulable: true } })
    for (const [name, priorityClassName] of [
      ["none", undefined],
      ["default", undefined],
      ["low", "low"],
      ["high", "high"],
    ] as const)
      await running.apply(pod(name, { priorityClassName }))
    await running.settled()
    await running.client.patch(nodes, "node-1", { spec: { unschedulable: null } })
    await running.advance("15s")
    expect(await scheduled(running)).toEqual(["high", "low"])
    // None of them came later and made another leave.
    expect((await running.list(events)).map(({ reason }) => reason)).not.toContain("Preempted")
  })

  test("a pod of low priority leaves for one of high priority", async () => {
    await using running = await withRoomForOne()
    for (const priority of priorities) await running.apply(priority)
    await running.apply(pod("first", { priorityClassName: "low" }))
    await running.settled()
    await running.apply(pod("second", { priorityClassName: "high" }))
    await running.advance("2m")
    expect(await scheduled(running)).toEqual(["second"])
    const told = (await running.list(events)).map(({ reason, involvedObject }) => `${involvedObject.name} ${reason}`)
    expect(told).toEqual(expect.arrayContaining(["first Preempted", "second FailedScheduling", "second Scheduled"]))
  })

  test("pods with gates and pods of other schedulers are let be", async () => {
    await using running = await cluster({ controllers: [] })
    await running.apply(pod("gated", { schedulingGates: [{ name: "example.com/wait" }] }))
    await running.apply(pod("other", { schedulerName: "mine" }))
    await running.advance("10m")
    expect(await scheduled(running)).toEqual([])
  })
})

describe("what wakes a refused pod", () => {
  const looks = (running: Cluster, key: string) =>
    running.trace.entries().filter((entry) => entry.controller === "default-scheduler" && entry.key === key).length
  const ssd: Partial<PodSpec> = { nodeSelector: { disk: "ssd" } }

  test("not the heartbeats of nodes, nor pods that come and go", async () => {
    await using running = await cluster({ controllers: [] })
    await running.apply(pod("p", ssd))
    await running.settled()
    const before = looks(running, "default/p")
    await running.apply(pod("q"))
    await running.advance("2m")
    await running.client.delete(pods, "default/q")
    await running.advance("2m")
    expect([before, looks(running, "default/p")]).toEqual([1, 1])
  })

  const helping: readonly [string, (running: Cluster) => Promise<unknown>][] = [
    ["a label of a node", (running) => running.client.patch(nodes, "node-1", { metadata: { labels: { disk: "ssd" } } })],
    [
      "a new node",
      (running) =>
        running.apply({
          apiVersion: "v1",
          kind: "Node",
          metadata: { name: "new", labels: { disk: "ssd" } },
          status: { allocatable: { pods: "1" } },
        }),
    ],
  ]
  test.each(helping)("%s", async (_what, help) => {
    await using running = await cluster({ controllers: [] })
    await running.apply(pod("p", ssd))
    await running.settled()
    await help(running)
    await running.settled()
    expect(await scheduled(running)).toEqual(["p"])
  })

  test("a pod that it wants to be near", async () => {
    await using running = await cluster({ controllers: [] })
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "db" } } }
    await running.apply(pod("p", { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }))
    await running.settled()
    expect(await scheduled(running)).toEqual([])
    await running.apply(pod("db", {}, { app: "db" }))
    await running.settled()
    expect(await scheduled(running)).toEqual(["db", "p"])
  })
})

test("what is observed stays short, however many pods and nodes there are", async () => {
  await using running = await cluster({ controllers: [], nodes: 20 })
  for (let at = 0; at < 30; at++) await running.apply(pod(`p${at}`))
  await running.settled()
  const observed = running.trace
    .entries()
    .filter(({ controller }) => controller === "default-scheduler")
    .map((entry) => entry.observed.length)
  expect(Math.max(...observed)).toBeLessThanOrEqual(5)
})

test("whichever API call the controllers crash at, every pod has a node of its own", async () => {
  const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "x" } } }
  const alone = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }
  const report = await crashPoints(
    {
      cluster: { controllers: [], nodes: 3 },
      async run(running) {
        for (const name of ["a", "b", "c", "d"]) await running.apply(pod(name, alone, { app: "x" }))
        await running.advance("1m")
      },
      async end(running) {
        const places = (await running.list(pods)).flatMap(({ spec }) => (spec?.nodeName ? [spec.nodeName] : []))
        return places.sort()
      },
    },
    { sample: 12 },
  )
  expect(report.tried).toBe(12)
})
