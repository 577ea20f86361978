import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
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
    expect([store.count(), store.count("x"), store.count(""), store.count("nowhere")]).toEqual([2, 1, 1, 0])
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

  test("an undeclared one is refused by name", () => {
    expect(() => new Store<ConfigMap>().byIndex(byTag, "red")).toThrow('expected the index "tag" to be declared')
  })

  test("by controller is one index however often it is made", () => {
    expect(byController(configMaps).values).toBe(byController(configMaps).values)
  })

  describe("a function that throws", () => {
    const picky = index(configMaps, "picky", ({ metadata, data }) => {
      if (data?.tags === "bad") throw new Error("cannot say")
      return [metadata.name ?? ""]
    })
    const refused =
      'expected the index "picky" to return the values of every object, found that it throws for a: cannot say; fix its function'

    test.each<[string, (store: Store<ConfigMap>) => void]>([
      ["from the start", (store) => void store.put(made("a", { tags: ["bad"] }))],
      ["at a change", (store) => void (store.put(made("a")), store.put(made("a", { tags: ["bad"], version: 2 })))],
    ])("%s: its index is not read, and says why; the store and every other index go on", (_when, write) => {
      const store = new Store<ConfigMap>()
      store.addIndex(byTag)
      store.addIndex(picky)
      store.put(made("b"))
      write(store)
      expect(names(store.byIndex(byTag, "bad"))).toEqual(["a"])
      expect(names(store.list(""))).toEqual(["a", "b"])
      expect(() => store.byIndex(picky, "b")).toThrow(refused)
      expect(() => store.indexValues(picky)).toThrow(refused)
      expect(() => store.alike(picky, made("b"))).toThrow(refused)
    })

    test("is read again once the object has changed, or is gone", () => {
      const store = new Store<ConfigMap>()
      store.put(made("a", { tags: ["bad"] }))
      store.addIndex(picky)
      expect(() => store.byIndex(picky, "a")).toThrow(refused)
      store.put(made("a", { version: 2 }))
      expect(names(store.byIndex(picky, "a"))).toEqual(["a"])
      store.put(made("a", { tags: ["bad"], version: 3 }))
      store.remove("a")
      expect(store.byIndex(picky, "a")).toEqual([])
      expect(store.indexValues(picky)).toEqual([])
    })
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
