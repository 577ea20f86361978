import { type Descriptor, formatResources, type KubeObject } from "@pilothouse/api"
import { configMaps, pods, type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import type { Change, Reader } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { pod, quota } from "./testing/quotas.ts"
import { UsageCache } from "./usage-cache.ts"

/** A cache of pods, and usages that observe it by default. */
function setUp({ observes = true } = {}) {
  const usages = new UsageCache()
  const there = new Map<string, KubeObject>()
  let lists = 0
  const list = () => {
    lists++
    return [...there.values()]
  }
  const read = { list } as unknown as Reader
  const observers = usages.cacheObservers()
  const start = () => {
    for (const one of observers) one.restart()
  }
  if (observes) start()
  const notify = (of: Descriptor, change: Change) => {
    for (const one of observers) if (observes && one.of === of) one.changed(change)
  }
  return {
    start,
    lists: () => lists,
    put(object: KubeObject) {
      there.set(object.metadata.name ?? "", object)
      notify(pods, { type: "added", object })
    },
    remove(object: KubeObject) {
      there.delete(object.metadata.name ?? "")
      notify(pods, { type: "deleted", object, finalStateUnknown: false })
    },
    goes: (gone: ResourceQuota) => notify(resourceQuotas, { type: "deleted", object: gone, finalStateUnknown: false }),
    used(counted: ResourceQuota) {
      const found = usages.usage(pods, counted, read)?.under(["pods"])
      return found && formatResources(found.accumulated).pods
    },
    kindless: (counted: ResourceQuota) => usages.usage(configMaps, counted, read),
  }
}

const all = quota({ hard: { pods: "9" } })

test("a namespace is counted once; after that, what comes and goes", () => {
  const { put, remove, used, lists } = setUp()
  put(pod("a"))
  expect(used(all)).toBe("1")
  put(pod("b"))
  put(pod("c"))
  expect(used(all)).toBe("3")
  remove(pod("a", { phase: "Failed" }))
  expect([used(all), lists()]).toEqual(["2", 1])
})

test("another namespace's pods are another quota's", () => {
  const { put, used } = setUp()
  expect(used(all)).toBe("0")
  put({ ...pod("a"), metadata: { name: "a", namespace: "elsewhere" } })
  expect(used(all)).toBe("0")
})

test("with other scopes, for a recreated quota, and after a restart of the controller, it is counted again", () => {
  const { put, used, lists, goes, start } = setUp()
  put(pod("a", { cpu: "1" }))
  expect([used(all), lists()]).toEqual(["1", 1])
  const free = quota({ hard: { pods: "9" }, scopes: ["BestEffort"] })
  expect([used(free), lists()]).toEqual(["0", 2])
  goes(free)
  expect([used(free), lists()]).toEqual(["0", 3])
  start()
  expect([used(free), lists()]).toEqual(["0", 4])
})

test("without cache changes it stores nothing", () => {
  const { put, used, lists } = setUp({ observes: false })
  put(pod("a"))
  expect(used(all)).toBe("1")
  put(pod("b"))
  expect([used(all), lists()]).toEqual(["2", 2])
})

test("of what only the number counts it has nothing", () => {
  expect(setUp().kindless(all)).toBeUndefined()
})
