import type { Node } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { simulatedNode, untilNodesReady } from "./simulated-node.ts"

const notReady = simulatedNode(1)
const ready: Node = { ...simulatedNode(2), status: { conditions: [{ type: "Ready", status: "True" }] } }
const foreignNode: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "real" } }

/** Answers each list with the next one, and with the last one for ever. */
function clientThatLists(...lists: readonly (readonly Node[])[]): Client {
  let looks = 0
  const list = async () => ({ items: lists[Math.min(looks++, lists.length - 1)] ?? [], resourceVersion: "1" })
  return { list } as unknown as Client
}

async function pausesUntilReady(client: Client, looks?: number): Promise<number> {
  let pauses = 0
  await untilNodesReady(client, async () => void pauses++, looks)
  return pauses
}

test("it ends when all of them are Ready, and not before", async () => {
  expect(await pausesUntilReady(clientThatLists([notReady, ready], [notReady, ready], [ready]))).toBe(2)
})

test("nodes of others are not waited for", async () => {
  expect(await pausesUntilReady(clientThatLists([foreignNode, ready]))).toBe(0)
})

test("a start that is too slow is not waited for either", async () => {
  expect(await pausesUntilReady(clientThatLists([notReady]), 7)).toBe(7)
})
