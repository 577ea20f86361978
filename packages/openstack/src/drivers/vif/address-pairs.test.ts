import { expect, test } from "vitest"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { AddressPair, Port } from "../../clients/neutron/types.ts"
import { changePairs, without } from "./nested-macvlan.ts"

const { signal } = new AbortController()
const pair = (ip_address: string, mac_address: string) => ({ ip_address, mac_address })
const [web, db] = [pair("10.10.0.5", "fa:16:3e:00:00:05"), pair("10.10.0.6", "fa:16:3e:00:00:06")]

test.each([
  ["is not there", [db], [[db, web]]],
  ["is there", [web, db], []],
  ["is there with the MAC of a port that is gone", [pair(web.ip_address, "old"), db], [[db, web]]],
] as const)("a pair that %s: what is written", async (_, pairs, expected) => {
  const written: (readonly AddressPair[])[] = []
  const update = async (_id: string, change: { allowed_address_pairs: readonly AddressPair[] }) => {
    written.push(change.allowed_address_pairs)
  }
  const neutron = { ports: { update } } as unknown as Neutron
  const node = { id: "node", revision_number: 1, allowed_address_pairs: pairs } as unknown as Port
  await changePairs(
    neutron,
    signal,
    async () => node,
    (found) => [...without(found, [web]), web],
  )
  expect(written).toEqual(expected)
})
