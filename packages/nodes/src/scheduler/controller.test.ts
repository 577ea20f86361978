import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"

function pod(name: string): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers: [{ name: "a", image: "a" }] } }
}

/** A cluster of one node that takes one pod. */
async function withRoomForOne(layer?: ClusterOptions["layer"]): Promise<Cluster> {
  const running = await cluster({ controllers: [], layer })
  await running.settled()
  const node = await running.client.get(nodes, "node-1")
  await running.client.updateStatus(nodes, { ...node, status: { ...node.status, allocatable: { ...node.status?.allocatable, pods: "1" } } })
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

/** The watch of pods is slower than the loops; `clock` is that of the cluster once it is to be so. */
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
