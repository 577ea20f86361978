import { formatTime } from "@pilothouse/api"
import type { ResourceClaim, ResourceSlice } from "@pilothouse/api/resource/v1"
import type { ResourcePoolStatusRequest } from "@pilothouse/api/resource/v1alpha3"
import { expect, test } from "vitest"
import { decide } from "./controller.ts"
import { poolStatus } from "./pool-status.ts"
import { allocatedClaim, slice, statusRequest } from "./testing/objects.ts"

const now = Date.UTC(2026, 0, 10)
const gpu = "gpu.example.com"

/** "pool: total/allocated/available of n slices @generation on node", or the error. */
function shown(request: ResourcePoolStatusRequest, slices: readonly ResourceSlice[], claims: readonly ResourceClaim[]): readonly string[] {
  return (poolStatus(request, slices, claims, now).pools ?? []).map((pool) => {
    const { poolName, totalDevices: all, allocatedDevices: used, availableDevices: free, resourceSliceCount: count } = pool
    const counts = pool.validationError ?? `${all}/${used}/${free} of ${count}`
    return `${poolName}: ${counts} @${pool.generation}${pool.nodeName ? ` on ${pool.nodeName}` : ""}`
  })
}

const two = [slice("a", { node: "node-1", devices: 4 }), slice("b", { node: "node-2", devices: 2 })]
const missing = slice("c", { expected: 3 })

test.each<[name: string, spec: object, slices: readonly ResourceSlice[], claims: readonly ResourceClaim[], expected: readonly string[]]>([
  ["a pool without allocations", {}, [slice("a", { node: "node-1", devices: 4 })], [], ["a: 4/0/4 of 1 @1 on node-1"]],
  ["a pool with allocations", {}, [two[0]!], [allocatedClaim("x", "a", 2), allocatedClaim("y", "a", 1)], ["a: 4/3/1 of 1 @1 on node-1"]],
  ["several pools, sorted", {}, two.toReversed(), [], ["a: 4/0/4 of 1 @1 on node-1", "b: 2/0/2 of 1 @1 on node-2"]],
  [
    "only pools of the driver",
    { driver: "nic.example.com" },
    [...two, slice("n", { driver: "nic.example.com" })],
    [],
    ["n: 1/0/1 of 1 @1"],
  ],
  ["only the pool that is named", { poolName: "b" }, two, [], ["b: 2/0/2 of 1 @1 on node-2"]],
  ["slices of one pool", {}, [slice("a", { devices: 4, expected: 2 }), slice("a", { devices: 3, expected: 2 })], [], ["a: 7/0/7 of 2 @1"]],
  ["no more pools than asked for", { limit: 1 }, two, [], ["a: 4/0/4 of 1 @1 on node-1"]],
  ["no pool", { driver: "none.example.com" }, two, [], []],
  ["slices of an older generation", {}, [slice("a", { devices: 9 }), slice("a", { generation: 2, devices: 1 })], [], ["a: 1/0/1 of 1 @2"]],
  ["a pool with slices missing", {}, [missing], [], [`c: pool ${gpu}/c is incomplete: observed 1/3 slices at generation 1 @1`]],
  [
    "slices on one node",
    {},
    [slice("a", { node: "n", expected: 2 }), slice("a", { node: "n", expected: 2 })],
    [],
    ["a: 2/0/2 of 2 @1 on n"],
  ],
  [
    "slices on several nodes",
    {},
    [slice("a", { node: "n", expected: 2 }), slice("a", { node: "m", expected: 2 })],
    [],
    ["a: 2/0/2 of 2 @1"],
  ],
  ["more allocated than there is", {}, [slice("a")], [allocatedClaim("x", "a", 3)], ["a: 1/3/0 of 1 @1"]],
  ["allocations of another driver", {}, [slice("a")], [allocatedClaim("x", "a", 1, "nic.example.com")], ["a: 1/0/1 of 1 @1"]],
])("%s", (_name, spec, slices, claims, expected) => {
  expect(shown(statusRequest("r", spec), slices, claims)).toEqual(expected)
})

test("the answer counts all pools, also those beyond the limit, and names those that are incomplete", () => {
  expect(poolStatus(statusRequest("r", { limit: 1 }), two, [], now)).toMatchObject({
    poolCount: 2,
    conditions: [{ type: "Complete", status: "True", reason: "CalculationComplete", message: "Calculated status for 1 pools" }],
  })
  const { poolCount, conditions } = poolStatus(statusRequest("r"), [...two, missing], [], now)
  expect([poolCount, conditions?.[0]?.message]).toEqual([3, "Calculated status for 3 pools (1 incomplete)"])
  expect(poolStatus(statusRequest("r"), [], [], now)).not.toHaveProperty("pools")
})

test("an error is cut to 256 characters", () => {
  const long = slice(`${"p".repeat(200)}/${"q".repeat(50)}`, { expected: 2 })
  expect(poolStatus(statusRequest("r"), [long], [], now).pools?.[0]?.validationError).toHaveLength(256)
})

const hour = 3_600_000
const answered = (type: string, ago: number) => ({
  poolCount: 0,
  conditions: [{ type, status: "True" as const, reason: "Test", message: "", lastTransitionTime: formatTime(now - ago) }],
})

test.each<[name: string, created: number, status: ResourcePoolStatusRequest["status"], isDeleted: boolean]>([
  ["answered less than an hour ago", 30 * hour, answered("Complete", hour - 1000), false],
  ["answered an hour ago", 30 * hour, answered("Complete", hour), true],
  ["failed an hour ago", 30 * hour, answered("Failed", hour), true],
  ["with a status that does not say when, an hour old", hour, { poolCount: 0 }, true],
  ["with a status that does not say when, not an hour old", hour - 1000, { poolCount: 0 }, false],
  ["open for less than a day", 24 * hour - 1000, undefined, false],
  ["open for a day", 24 * hour, undefined, true],
])("a request %s", (_name, created, status, isDeleted) => {
  const request = statusRequest("r")
  const metadata = { name: "r", creationTimestamp: formatTime(now - created) }
  const made = decide({ request: { ...request, metadata, ...(status && { status }) }, slices: [missing], claims: [] }, now)
  expect(made.steps.flatMap(({ operations }) => operations).map(({ do: verb }) => verb)).toEqual(isDeleted ? ["delete"] : [])
  expect(made.requeue !== undefined).toBe(!isDeleted)
})
