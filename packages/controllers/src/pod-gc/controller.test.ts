import { serviceUnavailable } from "@pilothouse/api"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import type { Transport } from "@pilothouse/seams"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { aPod } from "@pilothouse/testing/builders"
import { describe, expect, test } from "vitest"
import { podGcController } from "./controller.ts"

const only = { controllers: ["pod-garbage-collector"] }

function pod(name: string, nodeName?: string, finalizers: readonly string[] = []): Pod {
  return nodeName === undefined ? aPod(name, { finalizers, spec: { schedulerName: "absent" } }) : aPod(name, { finalizers, node: nodeName })
}

/** A node that no simulated kubelet looks after. */
function bareNode(name: string, spec: Node["spec"] = {}): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec }
}

async function names(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(pods)).map(({ metadata }) => metadata.name).sort()
}

async function finish(running: Cluster, name: string): Promise<void> {
  await running.client.patch(pods, `default/${name}`, { status: { phase: "Succeeded" } }, { subresource: "status" })
}

describe("pods of a node that is gone", () => {
  test("quarantine not finished, then gone: after 40 s they go, those of other nodes stay", async () => {
    await using running = await cluster(only)
    await running.apply(bareNode("lost"))
    await running.apply(pod("here", "node-1"))
    await running.apply(pod("there", "lost"))
    await running.settled()
    await running.client.delete(nodes, "lost")
    await running.advance("39s")
    expect(await names(running)).toEqual(["here", "there"])
    await running.advance("2s")
    expect(await names(running)).toEqual(["here"])
  })

  test("some nodes missing: a pod for a node that never was goes too, also after a restart", async () => {
    await using running = await cluster(only)
    await running.apply(pod("there", "never"))
    await running.advance("30s")
    await running.restartControllers()
    await running.advance("39s")
    expect(await names(running)).toEqual(["there"])
    await running.advance("2s")
    expect(await names(running)).toEqual([])
  })

  test("node added to client after quarantine: a node that comes in time keeps its pods", async () => {
    await using running = await cluster(only)
    await running.apply(pod("there", "late"))
    await running.advance("30s")
    await running.apply(bareNode("late"))
    await running.advance("5m")
    expect(await names(running)).toEqual(["there"])
  })

  test("nodes present in client: the server's word counts, not the cache's", async () => {
    await using running = await cluster({ ...only, layer: hidingNode("hidden") })
    await running.apply(bareNode("hidden"))
    await running.apply(pod("there", "hidden"))
    await running.advance("5m")
    expect(await names(running)).toEqual(["there"])
  })

  test("are marked as failed before they go: one with a finalizer shows it", async () => {
    await using running = await cluster(only)
    await running.apply(pod("there", "never", ["example.com/held"]))
    await running.advance("45s")
    const left = await running.client.get(pods, "default/there")
    expect(left.status).toMatchObject({
      phase: "Failed",
      conditions: expect.arrayContaining([expect.objectContaining({ reason: "DeletionByPodGC" })]),
    })
    expect(left.metadata.deletionGracePeriodSeconds).toBe(0)
  })
})

test("finished pods above the threshold go, at most every 20 s", async () => {
  await using running = await cluster({ controllers: [], extra: [podGcController({ terminatedPodThreshold: 2 })] })
  for (const name of ["a", "b", "c", "d"]) {
    await running.apply(pod(name, "node-1"))
    await running.settled()
    await finish(running, name)
    await running.advance("1s")
  }
  expect(await names(running)).toEqual(["a", "b", "c", "d"])
  await running.advance("20s")
  expect(await names(running)).toEqual(["c", "d"])
})

test("a pod that was deleted before it got a node is marked and goes", async () => {
  await using running = await cluster(only)
  await running.apply(pod("waiting", undefined, ["example.com/held"]))
  await running.client.delete(pods, "default/waiting")
  await running.settled()
  expect((await running.client.get(pods, "default/waiting")).status?.phase).toBe("Failed")
})

test("pods that stop on a node that is out of service go, the others stay", async () => {
  await using running = await cluster(only)
  await running.apply(bareNode("down"))
  for (const name of ["a", "b"]) await running.apply(pod(name, "down"))
  await running.client.delete(pods, "default/a")
  await running.advance("1m")
  expect(await names(running)).toEqual(["a", "b"])
  await running.client.patch(nodes, "down", { spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] } })
  await running.settled()
  expect(await names(running)).toEqual(["b"])
  await running.client.delete(pods, "default/b")
  await running.settled()
  expect(await names(running)).toEqual([])
})

describe("bad weather", () => {
  test("while the server cannot say whether the node is there nothing is deleted, and it is not requested without backoff", async () => {
    let asked = 0
    const layer =
      (inner: Transport): Transport =>
      (request) => {
        if (!request.path.endsWith("/nodes/never")) return inner(request)
        asked++
        return Promise.reject(serviceUnavailable("not now"))
      }
    await using running = await cluster({ ...only, layer })
    await running.apply(pod("there", "never"))
    await running.advance("10m")
    expect(await names(running)).toEqual(["there"])
    expect(asked).toBeLessThan(50)
  })

  test("a crash at any call ends the same", async () => {
    const report = await crashPoints(
      {
        cluster: { controllers: [], extra: [podGcController({ terminatedPodThreshold: 1 })] },
        async run(running) {
          await running.apply(pod("orphan", "never"))
          for (const name of ["old", "young"]) await running.apply(pod(name, "node-1"))
          await running.advance("10s")
          await finish(running, "old")
          await running.advance("1s")
          await finish(running, "young")
          await running.advance("3m")
        },
        end: names,
      },
      { sample: 10, seed: 2, writers: ["pod-garbage-collector-controller"] },
    )
    expect(report.tried).toBe(10)
  })
})

/** Keeps a node out of lists and watches, as a cache that has lost it. */
function hidingNode(name: string): (inner: Transport) => Transport {
  const isHidden = (value: unknown) => (value as { readonly metadata?: { readonly name?: string } } | undefined)?.metadata?.name === name
  return (inner) => async (request) => {
    const response = await inner(request)
    if (!request.path.endsWith("/nodes") || response.body.type === "bytes") return response
    if (response.body.type === "stream") return { ...response, body: { ...response.body, frames: without(response.body.frames, isHidden) } }
    const list = response.body.value as { readonly items?: readonly unknown[] }
    return { ...response, body: { ...response.body, value: { ...list, items: list.items?.filter((item) => !isHidden(item)) } } }
  }
}

async function* without<T>(frames: AsyncIterable<T>, isHidden: (value: unknown) => boolean): AsyncIterable<T> {
  for await (const frame of frames) {
    const { value } = frame as { readonly value?: { readonly object?: unknown } }
    if (!isHidden(value?.object)) yield frame
  }
}
