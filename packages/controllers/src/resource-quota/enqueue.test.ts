import { configMaps, pods, type ResourceQuota, secrets } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { usageWatches } from "./enqueue.ts"

test("the names of a quota are gone through once, and only for resources that count under patterns, however many objects come and go", () => {
  let walks = 0
  const hard = new Proxy<Record<string, string>>(
    { "count/configmaps": "5" },
    {
      ownKeys(target) {
        walks++
        return Reflect.ownKeys(target)
      },
    },
  )
  const quota: ResourceQuota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q", namespace: "n" }, spec: { hard } }
  const read = { list: () => [quota] } as unknown as Reader
  const keysFor = (of: typeof configMaps | typeof secrets | typeof pods) => {
    const object = { apiVersion: "v1", kind: of.kind, metadata: { name: "o", namespace: "n" } }
    return usageWatches(of).flatMap((watch) => watch.map(object, read))
  }
  for (let count = 0; count < 10; count++) {
    expect(keysFor(configMaps)).toEqual(["n/q", "n/q"])
    expect(keysFor(secrets)).toEqual([])
  }
  expect(walks).toBe(0)
  for (let count = 0; count < 10; count++) expect(keysFor(pods)).toEqual([])
  expect(walks).toBe(1)
})
