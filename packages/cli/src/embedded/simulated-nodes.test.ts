import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { nodesText, simulatedNodeNames } from "./simulated-nodes.ts"

test("nodes of an earlier start are counted: `up --nodes 1` names all eleven that there are", async () => {
  await using started = await cluster({ nodes: 11, controllers: [] })
  const names = await simulatedNodeNames(started.client)
  expect(names).toHaveLength(11)
  expect(nodesText(names, 1)).toBe('11 simulated (10 more than --nodes 1 asks for: "kubectl delete node node-11" takes one away)')
})

test.each<[names: readonly string[], asked: number, said: string]>([
  [["node-1"], 1, "1 simulated"],
  [[], 0, "0 simulated"],
])("%j of --nodes %i", (names, asked, said) => {
  expect(nodesText(names, asked)).toBe(said)
})

test("that pods may be processes of this host is said", () => {
  expect(nodesText(["node-1"], 1, true)).toBe("1 simulated; pods with the image process are processes of this host")
})
