import { expect, test } from "vitest"
import { advertisedAddress } from "./advertised-address.ts"

const own = ["2001:db8::7", "192.0.2.7"]

const rows: readonly [what: string, bind: string, advertise: string | undefined, own: readonly string[], expected: string][] = [
  ["what is said", "0.0.0.0", "198.51.100.1", own, "198.51.100.1"],
  ["else where it listens", "127.0.0.1", undefined, own, "127.0.0.1"],
  ["else this machine's, IPv4 first", "0.0.0.0", undefined, own, "192.0.2.7"],
  ["so for all of IPv6", "::", undefined, own, "192.0.2.7"],
  ["written at length", "0:0:0:0:0:0:0:0", undefined, own, "192.0.2.7"],
  ["IPv6 where there is no other", "::", undefined, ["2001:db8::7"], "2001:db8::7"],
  ["the given address cannot be reached", "0.0.0.0", "0.0.0.0", own, "192.0.2.7"],
  ["without a network itself", "0.0.0.0", undefined, [], "127.0.0.1"],
  ["an address that ends in zeros is one", "fd00::", undefined, own, "fd00::"],
]

test.each(rows)("%s", (_, bindAddress, advertiseAddress, addresses, expected) => {
  expect(advertisedAddress({ bindAddress, ...(advertiseAddress !== undefined && { advertiseAddress }) }, addresses)).toBe(expected)
})
