import type { EndpointSubset } from "@pilothouse/api/core/v1"
import fc from "fast-check"
import { expect, test } from "vitest"
import { repack } from "./subsets.ts"

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const address = (at: number) => ({ ip: `10.0.${at >> 8}.${at & 255}` })
const port = (at: number) => ({ name: `p${at}`, port: at + 1, protocol: "TCP" as const })

/** What is ready and what is not, of each address and port. */
function pairs(subsets: readonly EndpointSubset[]): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const { name } of ports.length === 0 ? [{ name: "none" }] : ports) {
      for (const { ip } of addresses) found.set(`${ip} ${name}`, found.get(`${ip} ${name}`) ?? true)
      for (const { ip } of notReadyAddresses) found.set(`${ip} ${name}`, false)
    }
  }
  return found
}

const some = fc.uniqueArray(fc.nat(5), { maxLength: 4 })
const subset = fc.record({ addresses: some, notReadyAddresses: some, ports: some }).map(
  ({ addresses, notReadyAddresses, ports }): EndpointSubset => ({
    addresses: addresses.map(address),
    notReadyAddresses: notReadyAddresses.map(address),
    ports: ports.map(port),
  }),
)

test("repacked subsets say the same in one form", () => {
  fc.assert(
    fc.property(fc.array(subset, { maxLength: 5 }), (subsets) => {
      const packed = repack(subsets)
      expect(new Map([...pairs(packed)].toSorted())).toEqual(new Map([...pairs(subsets)].toSorted()))
      expect(repack(packed)).toEqual(packed)
      expect(repack(subsets.toReversed())).toEqual(packed)
    }),
  )
})

test("10,000 ports of 10,000 addresses are repacked in linear time", () => {
  const subsets = [{ addresses: many(10_000, address), ports: many(10_000, port) }]
  const start = process.cpuUsage()
  const [packed] = repack(subsets)
  const { user, system } = process.cpuUsage(start)
  expect([packed?.addresses?.length, packed?.ports?.length]).toEqual([10_000, 10_000])
  expect((user + system) / 1000).toBeLessThan(500)
})

test("subsets that stand for millions of addresses stay as they are", () => {
  const alone = many(1000, (at) => ({ addresses: [address(at)], ports: [port(at)] }))
  const subsets = [{ addresses: many(1000, address), ports: many(1000, port) }, ...alone]
  expect(repack(subsets)).toBe(subsets)
})
