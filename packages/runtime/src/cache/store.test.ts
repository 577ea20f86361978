import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { byController, index } from "./index-definition.ts"
import { Store } from "./store.ts"

function made(
  name: string,
  { namespace, tags = [], version = 1 }: { namespace?: string; tags?: readonly string[]; version?: number } = {},
): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, resourceVersion: String(version) },
    data: { tags: tags.join(",") },
  }
}

const tagsOf = ({ data }: ConfigMap) => (data?.tags ? data.tags.split(",") : [])
const byTag = index(configMaps, "tag", tagsOf)
const names = (objects: readonly ConfigMap[]) => objects.map(({ metadata }) => metadata.name).sort()

describe("keys", () => {
  test("are namespace/name, or the name alone where there are no namespaces", () => {
    const store = new Store<ConfigMap>()
    store.put(made("a", { namespace: "x" }))
    store.put(made("b"))
    expect([...store.keys()]).toEqual(["x/a", "b"])
    expect(names(store.list("x"))).toEqual(["a"])
    expect(names(store.list(""))).toEqual(["b"])
    expect(store.list("nowhere")).toEqual([])
  })

  test("put gives the object that it replaces, remove the one that it takes out", () => {
    const store = new Store<ConfigMap>()
    const first = made("a")
    expect(store.put(first)).toBeUndefined()
    const second = made("a", { version: 2 })
    expect(store.put(second)).toBe(first)
    expect(store.remove("a")).toBe(second)
    expect(store.remove("a")).toBeUndefined()
  })
})

describe("indexes", () => {
  test("an object may stand under several values, and is found under each", () => {
    const store = new Store<ConfigMap>()
    store.addIndex(byTag)
    store.put(made("a", { tags: ["red", "big"] }))
    store.put(made("b", { tags: ["red"] }))
    expect(names(store.byIndex(byTag, "red"))).toEqual(["a", "b"])
    expect(store.indexKeys(byTag, "big")).toEqual(["a"])
    expect(names(store.alike(byTag, made("x", { tags: ["big", "red", "blue"] })))).toEqual(["a", "b"])
  })

  test("values that nothing stands under any more are forgotten", () => {
    const store = new Store<ConfigMap>()
    store.addIndex(byTag)
    store.put(made("a", { tags: ["red"] }))
    store.put(made("a", { tags: ["blue"], version: 2 }))
    expect(store.indexValues(byTag)).toEqual(["blue"])
    store.remove("a")
    expect(store.indexValues(byTag)).toEqual([])
  })

  test("one that is added late finds what is there", () => {
    const store = new Store<ConfigMap>()
    store.put(made("a", { tags: ["red"] }))
    store.addIndex(byTag)
    expect(names(store.byIndex(byTag, "red"))).toEqual(["a"])
  })

  test("two of one name each answer for themselves", () => {
    const store = new Store<ConfigMap>()
    const other = index(configMaps, "tag", ({ metadata }) => [metadata.name ?? ""])
    store.addIndex(byTag)
    store.addIndex(other)
    store.put(made("a", { tags: ["red"] }))
    expect([store.byIndex(byTag, "red").length, store.byIndex(other, "red").length, store.byIndex(other, "a").length]).toEqual([1, 0, 1])
  })

  test("one that nobody declared is refused by name", () => {
    expect(() => new Store<ConfigMap>().byIndex(byTag, "red")).toThrow('expected the index "tag" to be declared')
  })

  test("by controller is one index however often it is made", () => {
    expect(byController(configMaps).values).toBe(byController(configMaps).values)
  })

  test("a function that throws leaves the store and every other index as they were", () => {
    const store = new Store<ConfigMap>()
    store.addIndex(byTag)
    store.addIndex(
      index(configMaps, "picky", ({ metadata }) => {
        if (metadata.name === "bad") throw new Error("cannot say")
        return []
      }),
    )
    expect(() => store.put(made("bad", { tags: ["red"] }))).toThrow("cannot say")
    expect([store.size, store.indexValues(byTag).length, store.list("").length]).toEqual([0, 0, 0])
  })
})

describe("the resourceVersion", () => {
  test("goes forward with what is reached, and back only with a list", () => {
    const store = new Store<ConfigMap>()
    const seen = [store.resourceVersion]
    store.reached("10")
    seen.push(store.resourceVersion)
    store.reached("9")
    seen.push(store.resourceVersion)
    store.restartedAt("3")
    seen.push(store.resourceVersion)
    store.restartedAt("")
    expect([...seen, store.resourceVersion]).toEqual(["0", "10", "10", "3", "0"])
  })
})

test("model: after any writes every index equals what a search through all objects finds", () => {
  const write = fc.record({
    name: fc.constantFrom("a", "b", "c", "d", "e"),
    namespace: fc.constantFrom(undefined, "x", "y"),
    tags: fc.uniqueArray(fc.constantFrom("red", "green", "blue"), { maxLength: 3 }),
    do: fc.constantFrom("put", "put", "remove", "index"),
  })
  fc.assert(
    fc.property(fc.array(write, { maxLength: 50 }), (writes) => {
      const store = new Store<ConfigMap>()
      const model = new Map<string, ConfigMap>()
      writes.forEach(({ do: what, name, namespace, tags }, at) => {
        const object = made(name, { namespace, tags, version: at + 1 })
        const key = namespace === undefined ? name : `${namespace}/${name}`
        if (what === "index") store.addIndex(byTag)
        else if (what === "put") {
          expect(store.put(object)).toBe(model.get(key))
          model.set(key, object)
        } else {
          expect(store.remove(key)).toBe(model.get(key))
          model.delete(key)
        }
      })
      store.addIndex(byTag)
      const all = [...model.values()]
      expect(new Set(store.list())).toEqual(new Set(all))
      for (const tag of ["red", "green", "blue"]) {
        expect(new Set(store.byIndex(byTag, tag))).toEqual(new Set(all.filter((object) => tagsOf(object).includes(tag))))
      }
      expect(new Set(store.indexValues(byTag))).toEqual(new Set(all.flatMap(tagsOf)))
      for (const namespace of ["", "x", "y"]) {
        expect(new Set(store.list(namespace))).toEqual(new Set(all.filter(({ metadata }) => (metadata.namespace ?? "") === namespace)))
      }
    }),
    { numRuns: 200 },
  )
})
