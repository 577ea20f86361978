import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import fc from "fast-check"
import { expect, test } from "vitest"
import { index } from "./index-definition.ts"
import { Store } from "./store.ts"

const tags = ["red", "green", "blue"] as const
const namespaces = ["", "x", "y"] as const
const tagsOf = ({ data }: ConfigMap) => (data?.tags ? data.tags.split(",") : [])
const byTag = index(configMaps, "tag", tagsOf)

interface Write {
  readonly do: "put" | "remove" | "index"
  readonly name: string
  readonly namespace: string
  readonly tags: readonly string[]
}

const write: fc.Arbitrary<Write> = fc.record({
  do: fc.constantFrom("put", "put", "remove", "index"),
  name: fc.constantFrom("a", "b", "c", "d", "e"),
  namespace: fc.constantFrom(...namespaces),
  tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 }),
})

/** What a store with indexes should be, in the plainest words: a map, and a search through all of it for every question. */
class Model {
  readonly store = new Store<ConfigMap>()
  readonly #objects = new Map<string, ConfigMap>()
  #indexed = false
  #version = 0

  play({ do: what, name, namespace, tags: given }: Write): void {
    const key = namespace === "" ? name : `${namespace}/${name}`
    if (what === "index") {
      this.#indexed = true
      this.store.addIndex(byTag)
    } else if (what === "put") {
      const metadata = { name, namespace: namespace || undefined, resourceVersion: String(++this.#version) }
      const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { tags: given.join(",") } }
      expect(this.store.put(object)).toBe(this.#objects.get(key))
      this.#objects.set(key, object)
    } else {
      expect(this.store.remove(key)).toBe(this.#objects.get(key))
      this.#objects.delete(key)
    }
    this.check()
  }

  check(): void {
    const all = [...this.#objects.values()]
    expect(new Set(this.store.list())).toEqual(new Set(all))
    expect(new Set(this.store.keys())).toEqual(new Set(this.#objects.keys()))
    for (const namespace of namespaces) {
      expect(new Set(this.store.list(namespace))).toEqual(new Set(all.filter(({ metadata }) => (metadata.namespace ?? "") === namespace)))
    }
    if (!this.#indexed) return
    for (const tag of tags) expect(new Set(this.store.byIndex(byTag, tag))).toEqual(new Set(this.tagged(tag)))
    expect(new Set(this.store.indexValues(byTag))).toEqual(new Set(all.flatMap(tagsOf)))
    for (const object of all) {
      const alike = all.filter((other) => tagsOf(other).some((tag) => tagsOf(object).includes(tag)))
      expect(new Set(this.store.alike(byTag, object))).toEqual(new Set(alike))
    }
  }

  tagged(tag: string): readonly ConfigMap[] {
    return [...this.#objects.values()].filter((object) => tagsOf(object).includes(tag))
  }
}

test("model: after each write every index equals what a search through all objects finds", () => {
  const property = fc.property(fc.array(write, { maxLength: 50, size: "max" }), (writes) => {
    const model = new Model()
    for (const one of writes) model.play(one)
    model.play({ do: "index", name: "", namespace: "", tags: [] })
  })
  fc.assert(property, { numRuns: 200 })
})

test("races: readers that keep what they read for a while, among writes in any order, are never told anything stale or changed", async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(write, { maxLength: 25, size: "max" }),
    fc.array(fc.constantFrom(...tags), { maxLength: 8, size: "max" }),
    async (scheduler, writes, asked) => {
      const model = new Model()
      model.store.addIndex(byTag)
      const writing = scheduler.scheduleSequence(
        writes.map((one) => ({ builder: async () => model.play(one), label: JSON.stringify(one) })),
      ).task
      const read = async (tag: string): Promise<void> => {
        await scheduler.schedule(Promise.resolve(), `read ${tag}`)
        const [found, expected] = [model.store.byIndex(byTag, tag), model.tagged(tag)]
        expect(new Set(found)).toEqual(new Set(expected))
        await scheduler.schedule(Promise.resolve(), `still read ${tag}`)
        // Others have written meanwhile: what was read is what it was.
        expect(new Set(found)).toEqual(new Set(expected))
      }
      const reading = asked.map(read)
      await scheduler.waitFor(Promise.all([writing, ...reading]))
      expect((await writing).faulty).toBe(false)
      model.check()
    },
  )
  await fc.assert(property, { numRuns: 200 })
})
