import { type Node, nodes } from "@pilothouse/api/core/v1"
import { cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { operationsOf } from "../service-endpoints/testing/objects.ts"
import { ClusterSize, decide } from "./controller.ts"

const annotation = "node.alpha.kubernetes.io/ttl"
const node = (annotations?: Record<string, string>): Node => ({ apiVersion: "v1", kind: "Node", metadata: { name: "n1", annotations } })

/** The seconds after so many nodes came and then so many went. */
function secondsAfter(added: number, deleted = 0): number {
  const size = new ClusterSize()
  for (let at = 0; at < added; at++) size.added()
  for (let at = 0; at < deleted; at++) size.deleted()
  return size.seconds
}

describe("the number of nodes", () => {
  test.each([
    { added: 0, seconds: 0 },
    { added: 100, seconds: 0 },
    { added: 101, seconds: 15 },
    { added: 500, seconds: 15 },
    { added: 501, seconds: 30 },
    { added: 1001, seconds: 60 },
    { added: 2001, seconds: 300 },
  ])("$added nodes: $seconds s", ({ added, seconds }) => expect(secondsAfter(added)).toBe(seconds))

  test.each([
    { added: 101, deleted: 11, seconds: 15 },
    { added: 101, deleted: 12, seconds: 0 },
    { added: 501, deleted: 51, seconds: 30 },
    { added: 501, deleted: 52, seconds: 15 },
    { added: 1001, deleted: 102, seconds: 30 },
    { added: 2001, deleted: 201, seconds: 300 },
    { added: 2001, deleted: 202, seconds: 60 },
  ])("$added nodes, of which $deleted went: $seconds s", ({ added, deleted, seconds }) =>
    expect(secondsAfter(added, deleted)).toBe(seconds),
  )
})

describe("a node", () => {
  test.each([
    { name: "without the annotation", annotations: undefined, patched: "15" },
    { name: "with another number", annotations: { [annotation]: "0" }, patched: "15" },
    { name: "with no number", annotations: { [annotation]: "soon" }, patched: "15" },
    { name: "with the number", annotations: { [annotation]: "15" }, patched: undefined },
  ])("$name", ({ annotations, patched }) => {
    const [operation] = operationsOf(decide({ node: node(annotations), seconds: 15 }))
    expect(operation).toEqual(
      patched === undefined
        ? undefined
        : expect.objectContaining({ do: "patch", patch: { metadata: { annotations: { [annotation]: patched } } } }),
    )
  })

  test("has the annotation on a server, and keeps what others write", async () => {
    await using running = await cluster({ nodes: 0, controllers: ["ttl"] })
    await running.apply(node({ "shop.example/rack": "7" }))
    await running.advance("2s")
    expect((await running.client.get(nodes, "n1")).metadata.annotations).toEqual({ "shop.example/rack": "7", [annotation]: "0" })
    await running.client.patch(nodes, "n1", { metadata: { annotations: { [annotation]: null } } })
    await running.advance("2s")
    expect((await running.client.get(nodes, "n1")).metadata.annotations?.[annotation]).toBe("0")
  })
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: { nodes: 0, controllers: ["ttl"] },
      async run(running) {
        await running.apply(node())
        await running.advance("30s")
      },
    },
    { sample: 4, seed: 3, writers: ["ttl-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
