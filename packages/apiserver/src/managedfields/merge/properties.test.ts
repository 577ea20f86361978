import fc from "fast-check"
import { expect, test } from "vitest"
import { difference, emptySet, type FieldSet, intersection, isEmptySet, union } from "../fieldpath/index.ts"
import { everyForm as schema, valueOf } from "../testing/arbitrary-values.ts"
import { apply, History, update } from "../testing/history.ts"
import { compare, createdSet, ensureNamedFields, mergeValues, reconcileSet, removeItems, toFieldSet, typedErrors } from "../typed/index.ts"

const value = valueOf(schema)
const runs = { numRuns: 100 }

/** All paths that an object has, containers included. */
function everyPath(object: unknown): FieldSet {
  return union(createdSet(object ?? {}, schema), toFieldSet(object ?? {}, schema))
}

test("values of the schema have no errors", () => {
  fc.assert(
    fc.property(value, (one) => {
      expect(typedErrors(one, schema, { allowDuplicates: false })).toEqual([])
    }),
    runs,
  )
})

test("a value compared with itself, also with a copy, has no changes", () => {
  const nothing = { removed: {}, modified: {}, added: {} }
  fc.assert(
    fc.property(value, (one) => {
      expect(compare(one, one, schema)).toEqual(nothing)
      expect(compare(one, structuredClone(one), schema)).toEqual(nothing)
    }),
    runs,
  )
})

test("the other way round what was removed is added", () => {
  fc.assert(
    fc.property(value, value, (old, next) => {
      const [there, back] = [compare(old, next, schema), compare(next, old, schema)]
      expect(back).toEqual({ removed: there.added, modified: there.modified, added: there.removed })
      expect(intersection(there.added, there.removed)).toEqual({})
      expect(intersection(there.added, there.modified)).toEqual({})
      expect(intersection(there.removed, there.modified)).toEqual({})
    }),
    runs,
  )
})

test("what a configuration owns is all that is added to nothing, but for named objects and lists themselves", () => {
  fc.assert(
    fc.property(value, (one) => {
      const created = createdSet(one, schema)
      const owned = toFieldSet(one, schema)
      expect(difference(owned, created)).toEqual({})
      // What an update has besides are the containers.
      expect(difference(created, union(owned, ensureNamedFields(created, schema)))).toEqual({})
    }),
    runs,
  )
})

test("a merge holds all of the configuration and removes nothing", () => {
  fc.assert(
    fc.property(value, value, (live, config) => {
      const merged = mergeValues(live, config, schema)
      // A value of another form replaces the old one with all that was below it.
      const changed = compare(live, merged, schema)
      expect(compare(merged, mergeValues(merged, config, schema), schema)).toEqual({ removed: {}, modified: {}, added: {} })
      expect(difference(toFieldSet(config, schema), everyPath(merged))).toEqual({})
      if (isEmptySet(changed.modified)) expect(changed.removed).toEqual({})
      expect(mergeValues(merged, config, schema)).toBe(merged)
    }),
    runs,
  )
})

test("what is removed is not there any more, and the rest is", () => {
  fc.assert(
    fc.property(value, value, (one, other) => {
      const set = toFieldSet(other, schema)
      const left = toFieldSet(removeItems(one, schema, set) ?? {}, schema)
      expect(intersection(left, set)).toEqual(intersection(intersection(left, set), toFieldSet(one, schema)))
      expect(removeItems(one, schema, emptySet)).toBe(one)
    }),
    runs,
  )
})

test("sets of values of a schema need not be reconciled with it", () => {
  fc.assert(
    fc.property(value, (one) => {
      expect(reconcileSet(toFieldSet(one, schema), schema)).toBeUndefined()
      expect(reconcileSet(createdSet(one, schema), schema)).toBeUndefined()
    }),
    runs,
  )
})

const writes = fc.array(
  fc.record({ verb: fc.constantFrom("apply" as const, "update" as const), manager: fc.constantFrom("m1", "m2", "m3"), object: value }),
  { maxLength: 6 },
)

test("a forced apply is in the object and owned, and applied again it changes nothing", () => {
  fc.assert(
    fc.property(writes, value, (list, config) => {
      const history = new History({ schema })
      for (const write of list) history.write({ ...write, force: true })
      history.write(apply("me", config, { force: true }))
      expect(difference(toFieldSet(config, schema), everyPath(history.object))).toEqual({})
      expect(history.managers.get("me")?.set ?? {}).toEqual(toFieldSet(config, schema))
      const [object, managers] = [history.object, history.managers]
      history.write(apply("me", config))
      expect(history.object).toBe(object)
      expect(history.managers).toEqual(managers)
    }),
    runs,
  )
})

test("what is applied and then left out leaves the object as it was", () => {
  fc.assert(
    fc.property(value, (config) => {
      const history = new History({ schema })
      history.write(apply("me", config))
      history.write(apply("me", {}))
      expect(toFieldSet(history.object ?? {}, schema)).toEqual({})
      expect(history.managers.size).toBe(0)
    }),
    runs,
  )
})

test("no manager owns what is not in the object, after any writes", () => {
  fc.assert(
    fc.property(writes, (list) => {
      const history = new History({ schema })
      for (const write of list) history.write({ ...write, force: true })
      const there = everyPath(history.object)
      for (const { set } of history.managers.values()) expect(difference(set, there)).toEqual({})
    }),
    runs,
  )
})

test("an update that changes nothing changes no manager", () => {
  fc.assert(
    fc.property(writes, (list) => {
      const history = new History({ schema })
      for (const write of list) history.write({ ...write, force: true })
      const { managers } = history
      history.write(update("another", structuredClone(history.object)))
      expect(history.managers).toEqual(managers)
    }),
    runs,
  )
})
