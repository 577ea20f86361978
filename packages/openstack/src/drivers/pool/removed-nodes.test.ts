import { expect, test } from "vitest"
import { RemovedNodes } from "./removed-nodes.ts"

const byName = { hostFor: ({ node }: { readonly node: string }) => node }
const byAddress = { hostFor: ({ hostIp }: { readonly hostIp: string }) => hostIp }
const node = (name: string, ...addresses: readonly string[]) => ({ name, addresses })

test("a host is missing as soon as no node has its name, and gone after the grace time", () => {
  const removedNodes = new RemovedNodes({ driver: byName, grace: 1000 })
  expect(removedNodes.update(["a", "b"], [node("a")], 0)).toEqual([])
  expect([removedNodes.isMissing("a"), removedNodes.isMissing("b"), removedNodes.isMissing("c")]).toEqual([false, true, false])
  expect(removedNodes.update(["a", "b"], [node("a")], 999)).toEqual([])
  expect([removedNodes.update(["a", "b"], [node("a")], 1000), removedNodes.isGone("a", 5000), removedNodes.isGone("b", 1000)]).toEqual([
    ["b"],
    false,
    true,
  ])
})

test("one whose node comes back is there again, and has the whole time when it goes once more", () => {
  const removedNodes = new RemovedNodes({ driver: byName, grace: 1000 })
  removedNodes.update(["a"], [], 0)
  removedNodes.update(["a"], [node("a")], 900)
  expect([
    removedNodes.isMissing("a"),
    removedNodes.update(["a"], [], 1000),
    removedNodes.update(["a"], [], 1999),
    removedNodes.update(["a"], [], 2000),
  ]).toEqual([false, [], [], ["a"]])
})

test("where hosts are known by addresses, any address of a node will do", () => {
  const removedNodes = new RemovedNodes({ driver: byAddress, grace: 0 })
  expect(removedNodes.update(["10.0.0.1", "10.0.0.2", "10.0.0.3"], [node("a", "fd00::1", "10.0.0.1"), node("b", "10.0.0.2")], 0)).toEqual([
    "10.0.0.3",
  ])
})

test("no host counts as removed while a node has no address, unless hosts are known by name", () => {
  const nodes = [node("a", "10.0.0.1"), node("new")]
  expect(new RemovedNodes({ driver: byAddress, grace: 0 }).update(["10.0.0.9"], nodes, 0)).toEqual([])
  expect(new RemovedNodes({ driver: byName, grace: 0 }).update(["z"], nodes, 0)).toEqual(["z"])
})
