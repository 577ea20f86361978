import { describe, expect, test } from "vitest"
import type { Port } from "../../clients/neutron/types.ts"
import { SparePorts } from "./spare-ports.ts"

const sizes = { min: 3, max: 5, batch: 2, updateFrequency: 20_000 }
const spare = (id: string) => ({ port: { id } as Port })

function testPool(count: number, of: Partial<typeof sizes> = {}): SparePorts {
  const pool = new SparePorts({ ...sizes, ...of })
  for (let at = 0; at < count; at++) pool.add("a", spare(`port-${at}`))
  return pool
}

describe("how many ports a pool is filled with", () => {
  test.each([
    ["as many as there are at least: none", 3, {}, 0],
    ["fewer: a batch", 2, {}, 2],
    ["a batch that would not be enough: what is missing", 0, {}, 3],
    ["a batch larger than what is missing: the batch", 2, { batch: 10 }, 10],
  ])("%s", (_, count, of, expected) => {
    const pool = testPool(count, of)
    expect([pool.missing("a"), pool.startFill("a", 0)]).toEqual([expected, expected > 0])
  })

  test("not while it is being filled, and not before the update frequency is over; another pool does not wait", () => {
    const pool = testPool(0)
    expect([pool.startFill("a", 0), pool.startFill("a", 30_000), pool.startFill("b", 0)]).toEqual([true, false, true])
    pool.fillEnded("a")
    expect([pool.startFill("a", 19_999), pool.startFill("a", 20_000)]).toEqual([false, true])
  })
})

test("knows which hosts have a pool that is being filled; for a port without a host any pool counts", () => {
  const pool = testPool(0)
  const before = pool.filling()
  for (const key of ["node1 project network", "node2 project network"]) pool.startFill(key, 0)
  pool.fillEnded("node2 project network")
  const hosts = ["node1", "node2", undefined]
  expect([hosts.map(pool.filling()), hosts.map(before)]).toEqual([
    [true, false, true],
    [false, false, false],
  ])
})

test("the port that came last is given first, each once, and only from its own pool", () => {
  const pool = testPool(2)
  pool.add("a", spare("port-1"))
  expect([pool.size("a"), pool.take("b")]).toEqual([2, undefined])
  expect([pool.take("a"), pool.take("a"), pool.take("a")].map((one) => one?.port.id)).toEqual(["port-1", "port-0", undefined])
})

test("a pool is full at its size; with the size 0 it never is", () => {
  expect([testPool(4).isFull("a"), testPool(5).isFull("a"), testPool(50, { max: 0 }).isFull("a")]).toEqual([false, true, false])
})
