import { events, type Node, nodes } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { createControllers } from "../create-controllers.ts"

const on = { "allocate-node-cidrs": "true", "cluster-cidr": "10.7.0.0/29", "node-cidr-mask-size": 30 }
const only = { controllers: ["nodeipam"], settings: on, nodes: 0 }

function node(name: string, podCIDR?: string): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec: podCIDR === undefined ? {} : { podCIDR, podCIDRs: [podCIDR] } }
}

async function blocks(running: Cluster): Promise<Record<string, string | undefined>> {
  return Object.fromEntries((await running.list(nodes)).map(({ metadata, spec }) => [metadata.name ?? "", spec?.podCIDRs?.join()]))
}

async function unavailable(running: Cluster): Promise<readonly string[]> {
  return (await running.list(events))
    .filter(({ reason }) => reason === "CIDRNotAvailable")
    .map(({ involvedObject }) => involvedObject.name ?? "")
}

test("it runs only where --allocate-node-cidrs asks for it", () => {
  expect(createControllers({ select: ["nodeipam"] })).toEqual([])
  expect(createControllers({ select: ["nodeipam"], settings: on }).map(({ name }) => name)).toEqual(["node-ipam-controller"])
  expect(() => createControllers({ select: ["nodeipam"], settings: { "allocate-node-cidrs": true } })).toThrow("expected --cluster-cidr")
  expect(() => createControllers({ select: ["nodeipam"], settings: { ...on, "cidr-allocator-type": "CloudAllocator" } })).toThrow(
    "expected RangeAllocator",
  )
})

test("nodes that come at once get blocks of their own; a node that brings one keeps it", async () => {
  await using running = await cluster({ ...only, settings: { ...on, "cluster-cidr": "10.7.0.0/24" } })
  await Promise.all([node("own", "10.7.0.8/30"), ...Array.from({ length: 40 }, (_, at) => node(`n${at}`))].map((one) => running.apply(one)))
  await running.settled()
  const given = await blocks(running)
  expect(given.own).toBe("10.7.0.8/30")
  expect(new Set(Object.values(given)).size).toBe(41)
  expect(Object.values(given).every((block) => block?.startsWith("10.7.0."))).toBe(true)
})

test("simulated nodes bring their own blocks, and pods get addresses of them", async () => {
  await using running = await cluster({
    ...only,
    nodes: 2,
    settings: { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/16,fd08::/48" },
  })
  await running.apply(node("real"))
  await running.settled()
  expect(await blocks(running)).toEqual({ "node-1": "10.244.1.0/24", "node-2": "10.244.2.0/24", real: "10.244.0.0/24,fd08::/64" })
})

describe("all blocks are taken", () => {
  test("the next node gets an event, waits without retries, and gets the block that a deleted one frees", async () => {
    let writes = 0
    const layer: ClusterOptions["layer"] = (inner) => (request) => {
      if (request.verb !== "GET") writes++
      return inner(request)
    }
    await using running = await cluster({ ...only, layer })
    for (const name of ["a", "b", "c"]) {
      await running.apply(node(name))
      await running.settled()
    }
    expect([(await blocks(running)).c, await unavailable(running)]).toEqual([undefined, ["c"]])
    writes = 0
    await running.advance("1h")
    expect(writes).toBe(0)
    await running.client.delete(nodes, "a")
    await running.settled()
    expect(await blocks(running)).toEqual({ b: "10.7.0.4/30", c: "10.7.0.0/30" })
  })

  test("a node that was deleted and comes back may have its block", async () => {
    await using running = await cluster(only)
    for (const name of ["a", "b"]) await running.apply(node(name))
    await running.settled()
    await running.client.delete(nodes, "a")
    await running.apply(node("a"))
    await running.settled()
    expect(Object.values(await blocks(running)).sort()).toEqual(["10.7.0.0/30", "10.7.0.4/30"])
  })
})

describe("bad weather", () => {
  test("a conflict is retried with the same block and without an event", async () => {
    const tried: unknown[] = []
    const layer: ClusterOptions["layer"] = (inner) => async (request) => {
      if (request.verb === "PATCH" && request.path.endsWith("/nodes/a")) {
        const { body } = request
        tried.push(body?.type === "value" ? (body.value as { spec: { podCIDR: string } }).spec.podCIDR : undefined)
        if (tried.length === 1) await inner({ ...request, body: { type: "value", value: { metadata: { labels: { touched: "yes" } } } } })
      }
      return inner(request)
    }
    await using running = await cluster({ ...only, layer })
    await running.apply(node("a"))
    await running.advance("1m")
    expect(tried).toEqual(["10.7.0.0/30", "10.7.0.0/30"])
    expect([await blocks(running), await running.list(events)]).toEqual([{ a: "10.7.0.0/30" }, []])
  })

  test("a node with rubbish does not stop the others", async () => {
    await using running = await cluster(only)
    await running.apply(node("strange", "172.16.0.0/24"))
    await running.apply(node("a"))
    await running.settled()
    expect(await blocks(running)).toEqual({ a: "10.7.0.0/30", strange: "172.16.0.0/24" })
  })

  test("a crash at any call ends with as many blocks, each given once", async () => {
    const report = await crashPoints(
      {
        cluster: only,
        async run(running) {
          await running.apply(node("a"))
          await running.advance("10s")
          await running.apply(node("b"))
          await running.apply(node("c"))
          await running.advance("10s")
          await running.client.delete(nodes, "a")
          await running.advance("2m")
        },
        end: async (running) => Object.values(await blocks(running)).sort(),
      },
      { sample: 10, seed: 5, writers: ["node-ipam-controller"] },
    )
    expect(report.tried).toBe(10)
  })
})
