import type { Descriptor, KubeObject } from "@pilothouse/api"
import { configMaps } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { memoryStorage } from "../storage/memory.ts"
import { type ObjectIndex, ObjectIndexes } from "./object-indexes.ts"
import type { Registry } from "./registry.ts"

function counted() {
  const storage = memoryStorage()
  const registry = { served: () => ({ stored: { prefix: "/registry/configmaps/" } }) } as unknown as Registry
  const closing = new AbortController()
  const indexes = new ObjectIndexes({ storage, registry }, closing.signal)
  let reads = 0
  const index: ObjectIndex<readonly string[]> = {
    kinds: [configMaps as Descriptor],
    read([maps = []]) {
      reads++
      return maps.map(({ metadata }) => metadata.name ?? "")
    },
  }
  const write = (name: string) => {
    const value: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } }
    return storage.commit([{ key: `/registry/configmaps/default/${name}`, make: () => value }])
  }
  return { index, indexes, write, closing, reads: () => reads }
}

test("an index is made once, and again after one of its objects has changed", async () => {
  const { index, indexes, write, reads } = counted()
  await write("a")
  expect([indexes.get(index), indexes.get(index)]).toEqual([["a"], ["a"]])
  expect(reads()).toBe(1)
  await write("b")
  expect(indexes.get(index)).toEqual(["a", "b"])
  expect(reads()).toBe(2)
})

test("after the server has closed nothing follows the storage", async () => {
  const { index, indexes, write, closing, reads } = counted()
  indexes.get(index)
  closing.abort()
  await write("a")
  expect(reads()).toBe(1)
})
