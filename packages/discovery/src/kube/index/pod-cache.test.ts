import type { Pod } from "@pilothouse/api/core/v1"
import fc from "fast-check"
import { expect, test } from "vitest"
import { kubePod } from "../../testing/kube-objects.ts"
import { PodCache } from "./pod-cache.ts"

const at = (ip: string, more = {}) => kubePod("shop/a", { ip, ...more })

test("only pods that wait or run, with an address, are known", () => {
  const cache = new PodCache("active")
  cache.put("shop/a", at("10.0.0.1", { phase: "Pending" }))
  cache.put("shop/b", at("10.0.0.2"))
  cache.put("shop/c", at("10.0.0.3", { phase: "Succeeded" }))
  cache.put("shop/d", at(""))
  cache.put("shop/e", { ...at("10.0.0.5"), status: { podIP: "10.0.0.5", phase: "Unknown" } })
  expect([1, 2, 3, 5].map((n) => cache.at(`10.0.0.${n}`))).toEqual([["shop/a"], ["shop/b"], [], []])
  expect(cache.size).toBe(2)
})

test("as configured: only pods that are ready and not going", () => {
  const cache = new PodCache("ready")
  cache.put("shop/a", at("10.0.0.1", { ready: false }))
  cache.put("shop/b", at("10.0.0.2", { deleted: true }))
  cache.put("shop/c", at("10.0.0.3"))
  cache.put("shop/d", at("10.0.0.4", { phase: "Succeeded" }))
  expect([1, 2, 3, 4].map((n) => cache.at(`10.0.0.${n}`))).toEqual([[], [], ["shop/c"], []])
})

test("a late delete of an old pod does not evict the new owner of its address", () => {
  const cache = new PodCache("active")
  cache.put("shop/old", at("10.0.0.1"))
  cache.put("shop/new", at("10.0.0.1"))
  expect(cache.put("shop/old", undefined)).toEqual(["10.0.0.1"])
  expect(cache.at("10.0.0.1")).toEqual(["shop/new"])
  cache.put("shop/old", undefined)
  expect(cache.at("10.0.0.1")).toEqual(["shop/new"])
})

test("pods of the host network share its address", () => {
  const cache = new PodCache("active")
  cache.put("shop/a", at("192.168.0.1"))
  cache.put("infra/b", at("192.168.0.1"))
  expect(cache.at("192.168.0.1")).toEqual(["shop/a", "infra/b"])
  cache.put("shop/a", undefined)
  expect(cache.at("192.168.0.1")).toEqual(["infra/b"])
})

test("a pod that changes its address is moved", () => {
  const cache = new PodCache("active")
  cache.put("shop/a", at("10.0.0.1"))
  expect(cache.put("shop/a", at("10.0.0.2"))).toEqual(["10.0.0.1", "10.0.0.2"])
  expect([cache.at("10.0.0.1"), cache.at("10.0.0.2")]).toEqual([[], ["shop/a"]])
})

test("an eviction that blanks the address takes away the one that is remembered", () => {
  const cache = new PodCache("active")
  cache.put("shop/a", at("10.0.0.1"))
  expect(cache.put("shop/a", at("", { phase: "Failed" }))).toEqual(["10.0.0.1"])
  expect([cache.at("10.0.0.1"), cache.size]).toEqual([[], 0])
})

test("both addresses of a pod in two families lead to it", () => {
  const cache = new PodCache("active")
  cache.put("shop/a", kubePod("shop/a", { ips: ["10.0.0.1", "fd00::1"] }))
  expect([cache.at("10.0.0.1"), cache.at("fd00::1")]).toEqual([["shop/a"], ["shop/a"]])
})

test("model: whatever happens to pods, an address has exactly the members that are there now", () => {
  const ip = fc.constantFrom("", "10.0.0.1", "10.0.0.2")
  const phase = fc.constantFrom("Pending" as const, "Running" as const, "Failed" as const)
  const step = fc.record({ name: fc.constantFrom("a", "b", "c"), gone: fc.boolean(), ip, phase })
  const property = fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
    const cache = new PodCache("active")
    const truth = new Map<string, Pod>()
    for (const { name, gone, ip: address, phase: now } of steps) {
      const pod = gone ? undefined : at(address, { phase: now })
      cache.put(name, pod)
      if (pod === undefined) truth.delete(name)
      else truth.set(name, pod)
      for (const one of ["10.0.0.1", "10.0.0.2"]) {
        const expected = [...truth].filter(([, { status }]) => status?.podIP === one && status.phase !== "Failed").map(([key]) => key)
        expect([...cache.at(one)].sort()).toEqual(expected.sort())
      }
    }
  })
  fc.assert(property, { numRuns: 500 })
})
