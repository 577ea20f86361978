import fc from "fast-check"
import { expect, test } from "vitest"
import type { Endpoint } from "../../model/endpoint.ts"
import { endpointOf } from "../convert/endpoint.ts"
import { nowhere } from "../convert/locality.ts"
import { conversionOptions } from "../convert/options.ts"
import { EndpointIndex } from "./endpoint-index.ts"

const around = { portName: "http", namespace: "shop", network: "", pod: undefined, locality: nowhere, nodeName: undefined } as const
const one = (n: number, port = 8080, portName = "http"): Endpoint =>
  endpointOf({ ...around, addresses: [`10.0.0.${n}`], port, portName, health: "healthy" }, conversionOptions())
const addresses = (index: EndpointIndex, service = "web") => index.get(service).map((endpoint) => endpoint.addresses[0])

test("a slice is overwritten, a second one adds to it, and one that goes takes its own away", () => {
  const index = new EndpointIndex()
  index.put("web", "s1", [one(1), one(2)])
  index.put("web", "s1", [one(2), one(3)])
  expect(addresses(index)).toEqual(["10.0.0.2", "10.0.0.3"])
  index.put("web", "s2", [one(4)])
  expect(addresses(index)).toEqual(["10.0.0.2", "10.0.0.3", "10.0.0.4"])
  index.put("web", "s1", [])
  expect(addresses(index)).toEqual(["10.0.0.4"])
  index.put("web", "s2", [])
  expect([addresses(index), [...index.services()]]).toEqual([[], []])
})

test("an endpoint that moves to another slice is never told twice and never missing", () => {
  const index = new EndpointIndex()
  index.put("web", "s1", [one(1), one(2)])
  index.put("web", "s2", [one(2)])
  expect(addresses(index)).toEqual(["10.0.0.1", "10.0.0.2"])
  index.put("web", "s1", [one(1)])
  expect(addresses(index)).toEqual(["10.0.0.1", "10.0.0.2"])
})

test("one address behind two ports is two endpoints", () => {
  const index = new EndpointIndex()
  index.put("web", "s1", [one(1), one(1, 9090, "admin")])
  expect(index.get("web")).toHaveLength(2)
})

test("a duplicate address of one slice counts once", () => {
  const index = new EndpointIndex()
  index.put("web", "s1", [one(1), one(1)])
  expect(index.get("web")).toHaveLength(1)
})

test("nothing changed: no change is reported, and the objects are the same", () => {
  const index = new EndpointIndex()
  index.put("web", "s1", [one(1), one(2)])
  const before = index.get("web")
  expect(index.put("web", "s1", [one(1), one(2)])).toBeUndefined()
  expect(index.get("web")).toBe(before)
  const change = index.put("web", "s1", [one(1), one(2, 9999)])
  const after = index.get("web")
  expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false])
  expect([change?.gone, change?.came]).toEqual([[before[1]], [after[1]]])
})

test("a slice whose endpoints another one has too changes nothing when it goes", () => {
  const index = new EndpointIndex()
  index.put("web", "s1", [one(1)])
  index.put("web", "s2", [one(1)])
  expect(index.put("web", "s2", [])).toBeUndefined()
})

test("a service that goes takes all its slices along", () => {
  const index = new EndpointIndex()
  index.put("web", "s1", [one(1)])
  index.put("api", "s2", [one(2)])
  index.drop("web")
  expect([addresses(index), index.serviceOf("s1"), addresses(index, "api")]).toEqual([[], undefined, ["10.0.0.2"]])
})

test("replace puts everything right in one step, and keeps what is the same", () => {
  const index = new EndpointIndex()
  index.put("web", "s1", [one(1), one(2)])
  const [first] = index.get("web")
  index.replace(
    "web",
    new Map([
      ["s2", [one(1)]],
      ["s3", [one(5)]],
      ["s4", []],
    ]),
  )
  expect([addresses(index), index.get("web")[0] === first, index.serviceOf("s1")]).toEqual([["10.0.0.1", "10.0.0.5"], true, undefined])
})

test("model: whatever slices say, a service has each address once, and of every slice all of them", () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 })
  const step = fc.record({ slice: fc.constantFrom("s1", "s2", "s3"), numbers })
  const property = fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
    const index = new EndpointIndex()
    const truth = new Map<string, readonly number[]>()
    for (const { slice, numbers: said } of steps) {
      const before = index.get("web")
      const change = index.put(
        "web",
        slice,
        said.map((n) => one(n)),
      )
      truth.set(slice, said)
      const expected = [...new Set([...truth.values()].flat())].map((n) => `10.0.0.${n}`)
      expect([...addresses(index)].sort()).toEqual(expected.sort())
      expect(change === undefined).toBe(index.get("web") === before)
      const [old, now] = [new Set(before), new Set(index.get("web"))]
      expect(new Set(change?.gone)).toEqual(old.difference(now))
      expect(new Set(change?.came)).toEqual(now.difference(old))
      for (const old of before) {
        const now = index.get("web").find((endpoint) => endpoint.addresses[0] === old.addresses[0])
        if (now !== undefined && change === undefined) expect(now).toBe(old)
      }
    }
  })
  fc.assert(property, { numRuns: 500 })
})

test("an endpoint that moves is one change, whatever other ports the service has", () => {
  const index = new EndpointIndex()
  index.put("web", "s1", [one(1, 9090, "grpc"), one(2)])
  index.put("web", "s2", [one(2)])
  expect(index.get("web").map(({ addresses: [address], portName }) => `${address} ${portName}`)).toEqual(["10.0.0.1 grpc", "10.0.0.2 http"])
  index.put("web", "s1", [one(1, 9090, "grpc")])
  expect(addresses(index)).toEqual(["10.0.0.1", "10.0.0.2"])
})
