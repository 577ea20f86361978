import { parseResources } from "@pilothouse/api"
import type { LimitRangeItem, Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { Draft } from "../../body/draft.ts"
import { everyWay, statusIn } from "../../testing/server.ts"
import { limitFaults, setDefaultResources } from "./limit-ranger.ts"

function amounts(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/resource-${index}`, "1"]))
}

test("defaults that make a pod too large are filled in up to the size that storage takes", () => {
  const containers = Array.from({ length: 1000 }, (_, index) => ({ name: `c${index}`, image: "i" }))
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers } } as Draft<Pod>
  expect(() => setDefaultResources(pod, { type: "Container", default: amounts(10_000) })).toThrow("etcdserver: request is too large")
  // Names of 26 characters: 1.5 MiB have 60,000 of them.
  expect(pod.spec?.containers.filter(({ resources }) => resources?.limits !== undefined)).toHaveLength(6)
})

test("the faults of a range read each of its amounts as often in a long range as in a short one", () => {
  const readsOf = (count: number) => {
    let reads = 0
    const max = new Proxy(amounts(count), {
      get(target, name) {
        reads++
        return Reflect.get(target, name)
      },
    })
    const item: LimitRangeItem = { type: "Container", max }
    expect([...limitFaults(item, parseResources({}), parseResources({}))]).toHaveLength(count)
    return reads
  }
  expect(readsOf(1000)).toBe(10 * readsOf(100))
})

everyWay("faults of ranges", (testServer) => {
  test("a pod that breaks more than 1,000 rules is refused with the first 1,000", async () => {
    const [api, core] = [testServer(), "/api/v1/namespaces/default"]
    const limits = [{ type: "Container", maxLimitRequestRatio: amounts(1200) }]
    await api.post(`${core}/limitranges`, { metadata: { name: "r" }, spec: { limits } })
    const containers = Array.from({ length: 5 }, (_, index) => ({ name: `c${index}`, image: "i" }))
    const { code, message = "" } = statusIn(await api.post(`${core}/pods`, { metadata: { name: "p" }, spec: { containers } }))
    expect([code, message.split("max limit to request ratio").length - 1]).toEqual([403, 1000])
  })

  test("a fault that several containers have is named once", async () => {
    const [api, core] = [testServer(), "/api/v1/namespaces/default"]
    await api.post(`${core}/limitranges`, { metadata: { name: "r" }, spec: { limits: [{ type: "Container", min: { cpu: "1" } }] } })
    const containers = ["a", "b", "c"].map((name) => ({
      name,
      image: "i",
      resources: { requests: { cpu: name === "c" ? "500m" : "100m" } },
    }))
    const { message } = statusIn(await api.post(`${core}/pods`, { metadata: { name: "p" }, spec: { containers } }))
    const faults = ["100m", "500m"].map((amount) => `minimum cpu usage per Container is 1, but request is ${amount}`)
    expect(message).toBe(`pods "p" is forbidden: [${faults.join(", ")}]`)
  })
})
