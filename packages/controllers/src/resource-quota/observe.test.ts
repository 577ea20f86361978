import type { Descriptor } from "@pilothouse/api"
import { configMaps, pods } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { observe } from "./observe.ts"
import { configMap, pod, quota } from "./testing/quotas.ts"
import { UsageCache } from "./usage-cache.ts"

test("the trace shows the number of objects of a kind at every reconcile, also where the usage is accumulated", () => {
  const objects = new Map<unknown, readonly object[]>([
    [pods, [pod("a"), pod("b")]],
    [configMaps, [configMap("c")]],
  ])
  const counted: string[] = []
  const read = {
    get: () => quota({ hard: { pods: "9", "count/configmaps": "9" } }),
    list: (of: Descriptor) => objects.get(of),
    count: (of: Descriptor, namespace: string) => counted.push(`${of.plural} in ${namespace}`) && objects.get(of)?.length,
    kinds: () => [...objects.keys()].map((of) => ({ of, hasSynced: true })),
  } as unknown as Reader
  const usages = new UsageCache()
  for (const one of usages.cacheObservers()) one.restart()
  for (let look = 0; look < 2; look++) {
    observe("default/quota", read, usages)
    expect(counted.splice(0)).toEqual(["pods in default", "configmaps in default"])
  }
})
