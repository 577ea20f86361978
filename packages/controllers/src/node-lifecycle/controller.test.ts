import { isConditionTrue, serviceUnavailable } from "@pilothouse/api"
import { leases } from "@pilothouse/api/coordination/v1"
import { events, type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Transport, type TransportRequest, valueBody } from "@pilothouse/seams"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"

const only = { controllers: ["nodelifecycle"] }

/** Stops the kubelet of a simulated node, or lets it go on. */
async function pause(running: Cluster, name: string, paused = true): Promise<void> {
  await running.client.patch(nodes, name, { metadata: { annotations: { "pilothouse.dev/paused": paused ? "true" : null } } })
}

async function taints(running: Cluster, name: string): Promise<readonly string[]> {
  const { spec } = await running.client.get(nodes, name)
  return (spec?.taints ?? []).map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")} ${effect}`).sort()
}

async function ready(running: Cluster, name: string): Promise<string | undefined> {
  return (await running.client.get(nodes, name)).status?.conditions?.find((condition) => condition.type === "Ready")?.status
}

async function givenUp(running: Cluster): Promise<readonly (string | undefined)[]> {
  const all = await running.list(nodes)
  return all.filter(({ spec }) => spec?.taints?.some((taint) => taint.effect === "NoExecute")).map(({ metadata }) => metadata.name)
}

function podOn(node: string, name = "web"): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { nodeName: node, containers: [{ name: "a", image: "a" }] },
  }
}

async function isPodReady(running: Cluster, name = "web"): Promise<boolean> {
  return isConditionTrue((await running.client.get(pods, `default/${name}`)).status?.conditions, "Ready")
}

/** Counts the writes of this controller; heartbeats and statuses are the kubelets'. */
function countingWrites(): { readonly layer: ClusterOptions["layer"]; readonly writes: TransportRequest[] } {
  const writes: TransportRequest[] = []
  const layer =
    (inner: Transport): Transport =>
    (request) => {
      if (request.verb !== "GET" && !request.path.includes("/leases")) writes.push(request)
      return inner(request)
    }
  return { layer, writes }
}

async function reasons(running: Cluster): Promise<readonly string[]> {
  return (await running.list(events))
    .map(({ reason, involvedObject, source }) => `${reason} ${involvedObject.name} ${source?.component}`)
    .sort()
}

describe("a node that falls silent", () => {
  test("counts as lost after the grace period; its pods are not ready, nothing new goes there, and pods have to leave", async () => {
    await using running = await cluster({ ...only, nodes: 3 })
    await running.apply(podOn("node-1"))
    await running.advance("2m")
    expect([await ready(running, "node-1"), await isPodReady(running), await taints(running, "node-1")]).toEqual(["True", true, []])
    await pause(running, "node-1")
    await running.advance("40s")
    expect(await ready(running, "node-1")).toBe("True")
    await running.advance("20s")
    expect([await ready(running, "node-1"), await isPodReady(running)]).toEqual(["Unknown", false])
    await running.advance("5s")
    expect(await taints(running, "node-1")).toEqual(["unreachable NoExecute", "unreachable NoSchedule"])
    expect(await reasons(running)).toEqual(
      expect.arrayContaining([
        "NodeNotReady node-1 node-controller",
        "NodeNotReady web node-controller",
        "RegisteredNode node-2 node-controller",
      ]),
    )
  })

  test("with heartbeats again loses its taints, and its pods become ready", async () => {
    await using running = await cluster({ ...only, nodes: 2 })
    await running.apply(podOn("node-1"))
    await running.settled()
    await pause(running, "node-1")
    await running.advance("2m")
    expect(await givenUp(running)).toEqual(["node-1"])
    await pause(running, "node-1", false)
    await running.advance("20s")
    expect([await ready(running, "node-1"), await isPodReady(running), await taints(running, "node-1")]).toEqual(["True", true, []])
  })

  test("or never speaks counts as lost after the startup grace period", async () => {
    await using running = await cluster(only)
    const bare: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "mute" } }
    await running.apply(bare)
    await running.advance("59s")
    expect((await running.client.get(nodes, "mute")).status?.conditions).toBeUndefined()
    await running.advance("2s")
    const { status } = await running.client.get(nodes, "mute")
    expect(status?.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual(
      ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => `${type} NodeStatusNeverUpdated`),
    )
  })

  test("and is deleted is said to be removed", async () => {
    await using running = await cluster({ ...only, nodes: 2 })
    await running.settled()
    await running.client.delete(nodes, "node-2")
    await running.advance("1s")
    expect(await reasons(running)).toContain("RemovingNode node-2 node-controller")
  })
})

describe("zones", () => {
  test("nodes are given up one in ten seconds, those of each zone by themselves", async () => {
    await using running = await cluster({ ...only, nodes: 12 })
    for (let number = 1; number <= 12; number++) {
      await running.client.patch(nodes, `node-${number}`, {
        metadata: { labels: { "topology.kubernetes.io/zone": number % 2 === 0 ? "even" : "odd" } },
      })
    }
    await running.settled()
    // Three of six: below 55%, so both zones are normal.
    for (const number of [1, 3, 5, 2, 4, 6]) await pause(running, `node-${number}`)
    await running.until(async () => (await givenUp(running)).length > 0)
    const seen: number[] = []
    for (let looks = 0; looks < 3; looks++) {
      seen.push((await givenUp(running)).length)
      await running.advance("10s")
    }
    expect(seen).toEqual([2, 4, 6])
  })

  test("a small zone that is mostly down taints no node", async () => {
    await using running = await cluster({ ...only, nodes: 5 })
    await running.settled()
    for (const number of [1, 2, 3]) await pause(running, `node-${number}`)
    await running.advance("10m")
    expect([await ready(running, "node-1"), await givenUp(running)]).toEqual(["Unknown", []])
  })

  test("while no node is ready eviction taints are removed, and all grace periods restart when one is ready again", async () => {
    await using running = await cluster({ ...only, nodes: 3 })
    await running.settled()
    await pause(running, "node-1")
    await running.advance("2m")
    expect(await givenUp(running)).toEqual(["node-1"])
    for (const name of ["node-2", "node-3"]) await pause(running, name)
    await running.advance("2m")
    expect([await ready(running, "node-3"), await givenUp(running)]).toEqual(["Unknown", []])
    await pause(running, "node-3", false)
    await running.advance("1m")
    expect([await ready(running, "node-3"), await givenUp(running)]).toEqual(["True", ["node-1", "node-2"]])
  })
})

test("a stalled watch of Leases evicts no pod: the Lease is read from the API server", async () => {
  let asked = 0
  const layer: ClusterOptions["layer"] = (inner) => async (request) => {
    if (request.verb === "GET" && /\/leases\/node-/.test(request.path)) asked++
    const response = await inner(request)
    const isWatch = request.path.endsWith("/leases") && response.body.type === "stream"
    return isWatch ? { ...response, body: { ...response.body, frames: deaf(response.body) } } : response
  }
  // The kubelets of this test renew their Leases past the stalled cache.
  await using running = await cluster({ ...only, nodes: 2, layer })
  await running.settled()
  for (let round = 0; round < 20; round++) {
    await running.advance("10s")
    for (const name of ["node-1", "node-2"]) {
      const renewTime = new Date(running.clock.now()).toISOString().replace("Z", "000Z")
      await running.client.patch(leases, `kube-node-lease/${name}`, { spec: { renewTime } })
    }
  }
  expect([await ready(running, "node-1"), await ready(running, "node-2"), await givenUp(running)]).toEqual(["True", "True", []])
  expect(asked).toBeGreaterThan(0)
  expect(asked).toBeLessThan(20)
})

/** Says nothing more after what was there when it was opened. */
async function* deaf<T>({ frames }: { readonly frames: AsyncIterable<T> }): AsyncIterable<T> {
  for await (const frame of frames) {
    const { type } = (frame as { readonly value?: { readonly type?: string } }).value ?? {}
    if (type === "BOOKMARK") yield frame
  }
}

test("fewest writes: 50 healthy nodes cost none, and a heartbeat one reconcile of one node", async () => {
  const { layer, writes } = countingWrites()
  await using running = await cluster({ ...only, nodes: 50, layer })
  await running.advance("1m")
  writes.length = 0
  const began = running.clock.now()
  await running.advance("100s")
  expect(writes.map(({ verb, path }) => `${verb} ${path}`)).toEqual([])
  const looks = running.trace
    .entries()
    .filter(({ controller, key, at }) => controller.startsWith("node-lifecycle") && key === "node:node-7" && at > began)
  expect(looks.length).toBeGreaterThan(0)
  expect(looks.length).toBeLessThanOrEqual(10)
  for (const { observed } of looks) expect(observed).toHaveLength(2)
})

test("fewest writes: a node with two pods that is lost costs its status, two of its taints, and one for each pod", async () => {
  const { layer, writes } = countingWrites()
  await using running = await cluster({ ...only, nodes: 3, layer })
  for (const name of ["a", "b"]) await running.apply(podOn("node-1", name))
  await running.advance("1m")
  await pause(running, "node-1")
  writes.length = 0
  await running.advance("5m")
  // What the kubelets of the other two say of their nodes every five minutes is not ours, nor are events.
  const isOurs = (line: string) => !line.includes("/events") && !/node-[23]\/status/.test(line)
  const ours = writes.map(({ verb, path }) => `${verb} ${path.replace(/^.*\/v1\//, "")}`).filter(isOurs)
  const pods = ["a", "b"].map((name) => `PATCH namespaces/default/pods/${name}/status`)
  expect(ours).toEqual(["PUT nodes/node-1/status", "PATCH nodes/node-1", ...pods, "PATCH nodes/node-1"])
})

test("a write that conflicts is tried again, and the taints of others stay", async () => {
  let tries = 0
  const layer: ClusterOptions["layer"] = (inner) => async (request) => {
    if (request.verb === "PATCH" && request.path.endsWith("/nodes/node-1") && tries++ === 0) {
      const other = { spec: { taints: [{ key: "example.com/mine", effect: "NoSchedule" }] } }
      await inner({ ...request, body: { type: "value", value: other } })
    }
    return inner(request)
  }
  await using running = await cluster({ ...only, layer })
  await running.settled()
  await running.client.patch(nodes, "node-1", { metadata: { labels: { "beta.kubernetes.io/os": "plan9" } } })
  await running.advance("1m")
  expect(tries).toBe(2)
  expect(await taints(running, "node-1")).toEqual(["example.com/mine NoSchedule"])
  expect((await running.client.get(nodes, "node-1")).metadata.labels?.["beta.kubernetes.io/os"]).toBe("linux")
})

test("a pod that could not be marked is tried again, and the others are marked at once (MarkPodsNotReadyRetry)", async () => {
  let refused = 0
  const layer =
    (inner: Transport): Transport =>
    async (request) => {
      if (request.verb !== "PATCH" || !request.path.endsWith("/pods/stubborn/status") || refused === 2) return inner(request)
      refused++
      const { statusCode, status } = serviceUnavailable("away")
      return { status: statusCode, headers: {}, body: valueBody(status) }
    }
  await using running = await cluster({ ...only, nodes: 3, layer })
  for (const name of ["easy", "stubborn"]) await running.apply(podOn("node-1", name))
  await running.advance("2m")
  // Not the kubelet's: it writes the statuses of its pods too.
  refused = 0
  await pause(running, "node-1")
  await running.advance("70s")
  expect([await isPodReady(running, "easy"), await isPodReady(running, "stubborn")]).toEqual([false, false])
  expect(refused).toBe(2)
})

test("a refusing server is not requested without backoff, and other nodes are reconciled", async () => {
  let [refusing, tries] = [false, 0]
  const layer: ClusterOptions["layer"] = (inner) => (request) => {
    if (!refusing || request.verb !== "PUT" || !request.path.endsWith("/nodes/node-1/status")) return inner(request)
    tries++
    return Promise.reject(serviceUnavailable("not now"))
  }
  await using running = await cluster({ ...only, nodes: 4, layer })
  await running.settled()
  refusing = true
  for (const name of ["node-1", "node-2"]) await pause(running, name)
  await running.advance("3m")
  expect([await ready(running, "node-1"), await ready(running, "node-2"), await givenUp(running)]).toEqual(["True", "Unknown", ["node-2"]])
  expect(tries).toBeGreaterThan(5)
  expect(tries).toBeLessThan(50)
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: { ...only, nodes: 3 },
      async run(running) {
        await running.apply(podOn("node-1"))
        await running.advance("20s")
        await pause(running, "node-1")
        await running.advance("5m")
      },
    },
    { sample: 10, seed: 4, writers: ["node-lifecycle-controller"] },
  )
  expect(report.tried).toBe(10)
})
