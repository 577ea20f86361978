import type { Device, ResourceClaim } from "@pilothouse/api/resource/v1"
import { DeviceSelectors } from "@pilothouse/cel/kubernetes"
import { expect, test } from "vitest"
import { testNode } from "../testing/objects.ts"
import { allocate } from "./allocate.ts"
import { newestSlices, poolsFor } from "./pools.ts"
import { SearchBudget } from "./search-budget.ts"
import { cel, claim, deviceClass, devices, driver, request, slice } from "./testing/devices.ts"

const library = new DeviceSelectors()

function budget() {
  return new SearchBudget((expression, { device, slice: of }, spend) =>
    library.of(expression).matches({ driver: of.spec.driver, ...device }, spend),
  )
}

/** Searches on nodes that all reach the same devices, one after the other; returns CPU milliseconds and what it failed with. */
function search(wanted: ResourceClaim, found: readonly Device[], nodes: number) {
  const pools = newestSlices([slice("all", found, { allNodes: true })])
  const shared = budget()
  const start = process.cpuUsage()
  let error: unknown
  try {
    for (let at = 0; at < nodes; at++) {
      const node = testNode(`node-${at}`)
      const inUse = { isTaken: () => false, shares: () => [] }
      allocate({ node, pools: poolsFor(node, pools), claims: [wanted], inUse, classOf: deviceClass, budget: shared })
    }
  } catch (thrown) {
    error = thrown
  }
  const { user, system } = process.cpuUsage(start)
  return { milliseconds: (user + system) / 1000, error: error instanceof Error ? error.message : undefined }
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
const capacity = Object.fromEntries(numbers(32).map((at) => [`c${at}`, { value: "10Gi" }]))

test("a claim that fits nowhere is searched for within one budget on all nodes", () => {
  const found = numbers(24).map((at) => ({ name: `gpu-${at}`, capacity, attributes: { kind: { string: at % 2 === 0 ? "a" : "b" } } }))
  const wanted = claim(
    "hard",
    numbers(13).map((at) => request(`r${at}`)),
    { constraints: [{ matchAttribute: `${driver}/kind` }] },
  )
  const { milliseconds, error } = search(wanted, found, 50)
  expect(error).toMatch(/^node node-\d+: timed out trying to allocate devices$/)
  expect(milliseconds).toBeLessThan(250)
})

test("selectors of all devices have one cost limit", () => {
  const costly = cel("lists.range(9000).map(x, x + 1).size() == 0")
  const { milliseconds, error } = search(claim("costly", [request("gpu", costly)]), devices(...numbers(128).map((at) => `gpu-${at}`)), 3)
  expect(error).toBe(
    "claim default/costly: selector #0: CEL runtime error: expected selectors that cost at most 1000000 for all devices, found more",
  )
  expect(milliseconds).toBeLessThan(250)
})

test("a device that many nodes reach is judged once", () => {
  const selector = cel("lists.range(900).map(x, x + 1).size() == 0")
  expect(search(claim("usual", [request("gpu", selector)]), devices(...numbers(8).map((at) => `gpu-${at}`)), 2000).error).toBeUndefined()
})
