import { unitCost } from "../cost/cost-rule.ts"
import type { Library } from "../environment/environment.ts"
import { defineOverloads } from "../environment/overload.ts"
import { twoVariableMacros } from "../syntax/two-variable-macros.ts"
import { displayValue } from "../values/display.ts"
import { type AnyMap, MapValue, mapGet, mapKeys } from "../values/maps.ts"
import { fail, type Value } from "../values/value.ts"

/** Adds to the map that a comprehension builds, in place: no expression can name it before it is complete. */
function insert(map: AnyMap, key: Value, value: Value): MapValue {
  const target = map instanceof MapValue ? map : new MapValue()
  if (!target.add(key, value)) fail(`insert failed: key ${displayValue(key)} already exists`)
  return target
}

function insertAll(map: AnyMap, entries: AnyMap): AnyMap {
  return mapKeys(entries).reduce<AnyMap>((target, key) => insert(target, key, mapGet(entries, key) as Value), map)
}

/** The comprehensions with two variables: `all`, `exists`, `existsOne`, `transformList`, `transformMap`, `transformMapEntry`. */
export const twoVariableComprehensions: Library = {
  name: "two-variable comprehensions",
  macros: twoVariableMacros,
  overloads: defineOverloads([
    {
      id: "@mapInsert_map_key_value",
      name: "cel.@mapInsert",
      function: "(map(K, V), K, V) -> map(K, V)",
      evaluate: insert,
      cost: unitCost,
      example: "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
    },
    {
      id: "@mapInsert_map_map",
      name: "cel.@mapInsert",
      function: "(map(K, V), map(K, V)) -> map(K, V)",
      evaluate: insertAll,
      cost: unitCost,
      example: "['a'].transformMapEntry(i, v, {v: i}) == {'a': 0}",
      failure: ["['a', 'a'].transformMapEntry(i, v, {v: i})", "insert failed: key a already exists"],
    },
  ]),
}
