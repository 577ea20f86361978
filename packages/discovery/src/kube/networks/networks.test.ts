import { cidrContains, parseCidr } from "@pilothouse/api/net"
import { messageOf, recordingLog } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { kubePod } from "../../testing/kube-objects.ts"
import { readMeshNetworks } from "./mesh-networks.ts"
import { Networks, PrefixTrie } from "./networks.ts"

const mesh = readMeshNetworks({
  networks: {
    one: { endpoints: [{ fromCidr: "10.10.1.0/24" }], gateways: [{ address: "1.1.1.1", port: 80 }] },
    two: {
      endpoints: [{ fromCidr: "10.11.1.0/24" }, { fromCidr: "fd00:11::/32" }],
      gateways: [{ registryServiceName: "gate.net.svc.cluster.local", port: 443 }],
    },
    three: { endpoints: [{ fromRegistry: "east" }] },
  },
})

function networks(cluster = "west", network = "") {
  const { log, lines } = recordingLog()
  const made = new Networks({ cluster, network, log })
  made.follow(mesh)
  return { made, lines }
}

test("by range, in both families; outside of all ranges it is the registry's own", () => {
  const { made } = networks("west", "home")
  expect(
    ["10.10.1.7", "10.11.1.7", "10.12.1.7", "fd00:11::7", "::ffff:10.10.1.7", "no address"].map((address) => made.of(address, undefined)),
  ).toEqual(["one", "two", "home", "two", "one", "home"])
})

test("a cluster that is in a network as a whole", () => {
  expect(networks("east").made.of("10.10.1.7", undefined)).toBe("three")
})

test("the label of the system namespace beats the mesh, and the pod's label beats all", () => {
  const { made } = networks("east")
  expect(made.systemSays("four")).toBe(true)
  expect(made.systemSays("four")).toBe(false)
  const pod = kubePod("shop/a", { labels: { "topology.istio.io/network": "five" } })
  expect([made.of("10.10.1.7", undefined), made.of("10.10.1.7", pod)]).toEqual(["four", "five"])
  made.systemSays(undefined)
  expect(made.of("10.10.1.7", undefined)).toBe("three")
})

test("an address in several networks is in that of the smallest range, with one warning", () => {
  const { made, lines } = networks()
  made.follow(
    readMeshNetworks({
      networks: { big: { endpoints: [{ fromCidr: "10.0.0.0/8" }] }, small: { endpoints: [{ fromCidr: "10.1.0.0/16" }] } },
    }),
  )
  expect([made.of("10.1.0.1", undefined), made.of("10.1.0.2", undefined), made.of("10.2.0.1", undefined)]).toEqual([
    "small",
    "small",
    "big",
  ])
  expect(lines).toHaveLength(1)
})

const bad: readonly (readonly [what: string, found: unknown, message: string])[] = [
  ["no map", [], "meshNetworks: expected a map, found []"],
  ["a network that is no map", { networks: { one: 7 } }, "networks.one: expected a map, found 7"],
  ["endpoints that are no list", { networks: { one: { endpoints: {} } } }, "networks.one.endpoints: expected a list, found {}"],
  [
    "a range that is none",
    { networks: { one: { endpoints: [{ fromCidr: "10.0.0.0/40" }] } } },
    'networks.one.endpoints[0]: expected fromCidr with a range such as "10.0.0.0/8", or fromRegistry with a cluster, found {"fromCidr":"10.0.0.0/40"}',
  ],
  [
    "a gateway without a port",
    { networks: { one: { gateways: [{ address: "1.1.1.1" }] } } },
    "networks.one.gateways[0].port: expected a number, found nothing",
  ],
  [
    "a gateway without a place",
    { networks: { one: { gateways: [{ port: 1 }] } } },
    'networks.one.gateways[0]: expected address or registryServiceName, found {"port":1}',
  ],
]
for (const [what, found, message] of bad)
  test(`mesh networks with ${what} are refused with the place`, () => {
    let said = ""
    try {
      readMeshNetworks(found)
    } catch (error) {
      said = messageOf(error)
    }
    expect(said).toBe(message)
  })

test("no networks at all are fine", () =>
  expect([readMeshNetworks({}).size, readMeshNetworks({ networks: { one: {} } }).size]).toEqual([0, 1]))

test("model: the trie finds what looking at every range finds", () => {
  const address = fc
    .tuple(fc.constantFrom(10, 11), fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 1), fc.integer({ min: 0, max: 255 }))
    .map((parts) => parts.join("."))
  const range = fc.tuple(address, fc.integer({ min: 0, max: 32 }))
  const property = fc.property(fc.array(range, { maxLength: 12 }), address, (ranges, asked) => {
    const trie = new PrefixTrie()
    for (const [base, length] of ranges) trie.add(`${base}/${length}`, `${base}/${length}`)
    const expected = ranges.map(([base, length]) => `${base}/${length}`).filter((block) => cidrContains(parseCidr(block)!, asked))
    const found = trie.containing(asked)
    expect([...found].sort()).toEqual(expected.sort())
    const lengths = found.map((one) => Number(one.split("/")[1]))
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a))
  })
  fc.assert(property, { numRuns: 500 })
})
