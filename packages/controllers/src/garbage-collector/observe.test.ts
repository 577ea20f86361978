import type { KubeObject } from "@pilothouse/api"
import { configMaps, pods } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { AbsentOwners } from "./absent-owners.ts"
import { observe } from "./observe.ts"

test("an object of thousands of owners had the caches searched for all of them with each answer", async () => {
  const ownerReferences = Array.from({ length: 2000 }, (_, at) => ({ apiVersion: "v1", kind: "Pod", name: `p${at}`, uid: `u${at}` }))
  const object: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default", uid: "a", ownerReferences },
  }
  let [searches, questions] = [0, 0]
  const read = {
    kinds: () => [configMaps, pods].map((of) => ({ of, hasSynced: true })),
    get: (of: { readonly kind: string }) => (of.kind === "ConfigMap" ? object : undefined),
    byIndexOfAll: () => {
      searches++
      return []
    },
    live: async () => {
      questions++
      return undefined
    },
  } as unknown as Reader
  const found = await observe("configmaps default/a", read, new AbsentOwners())
  expect(found?.owners.map(({ state }) => state)).toEqual(ownerReferences.map(() => "absent"))
  // One for each owner, and one for its dependents.
  expect([questions, searches]).toEqual([2000, 2001])
})
