import { unitCost } from "../cost/cost-rule.ts"
import type { Library } from "../environment/environment.ts"
import { defineOverloads, type OverloadRow } from "../environment/overload.ts"
import { optionalMacros } from "../syntax/optional-macros.ts"
import { dynType, optionalType, type TypeKind } from "../types/types.ts"
import { displayValue } from "../values/display.ts"
import type { Duration } from "../values/duration.ts"
import { kindOf } from "../values/kinds.ts"
import { type AnyMap, mapSize } from "../values/maps.ts"
import type { Timestamp } from "../values/timestamp.ts"
import { doubleValue, fail, Optional, type Uint, type Value } from "../values/value.ts"

type List = readonly Value[]

/** The test for emptiness of each sort of value; the other sorts are never empty. */
const isZeroOf: Readonly<Partial<Record<TypeKind, (value: never) => boolean>>> = {
  bool: (value: boolean) => !value,
  bytes: (value: Uint8Array) => value.length === 0,
  double: (value: Value) => doubleValue(value) === 0,
  duration: ({ nanoseconds }: Duration) => nanoseconds === 0n,
  int: (value: number | bigint) => Number(value) === 0,
  list: (value: List) => value.length === 0,
  map: (value: AnyMap) => mapSize(value) === 0,
  null: () => true,
  string: (value: string) => value === "",
  timestamp: ({ seconds, nanoseconds }: Timestamp) => seconds === zeroTime && nanoseconds === 0,
  uint: ({ value }: Uint) => value === 0n,
}

/** Reports whether a value is what its type has without any content. */
function isZero(value: Value): boolean {
  return isZeroOf[kindOf(value)]?.(value as never) ?? false
}

/** The first second of the year 1, which Go's zero time is. */
const zeroTime = -62_135_596_800

function unwrap(list: List): List {
  return list.flatMap((item) => {
    if (!(item instanceof Optional)) return fail(`value ${displayValue(item)} is not optional`)
    return item.value === undefined ? [] : [item.value]
  })
}

function at(list: List, index: number): Optional {
  const item = list.at(index)
  return item === undefined ? Optional.none : new Optional(item)
}

const rows: readonly OverloadRow[] = [
  {
    id: "optional_of",
    name: "optional.of",
    function: "(V) -> optional(V)",
    evaluate: (value: Value) => new Optional(value),
    cost: unitCost,
    example: "optional.of(1).value() == 1",
  },
  {
    id: "optional_ofNonZeroValue",
    name: "optional.ofNonZeroValue",
    function: "(V) -> optional(V)",
    evaluate: (value: Value) => (isZero(value) ? Optional.none : new Optional(value)),
    cost: unitCost,
    example: "optional.ofNonZeroValue('') == optional.none()",
  },
  {
    id: "optional_none",
    name: "optional.none",
    function: "() -> optional(V)",
    evaluate: () => Optional.none,
    cost: unitCost,
    example: "!optional.none().hasValue()",
  },
  {
    id: "optional_value",
    name: "value",
    method: "(optional(V)) -> V",
    evaluate: ({ value }: Optional) => value ?? missing(value),
    cost: unitCost,
    example: "optional.of(1).value() == 1",
    failure: ["optional.none().value()", "optional.none() dereference"],
  },
  {
    id: "optional_hasValue",
    name: "hasValue",
    method: "(optional(V)) -> bool",
    evaluate: ({ value }: Optional) => value !== undefined,
    cost: unitCost,
    example: "optional.of(1).hasValue()",
  },
  {
    id: "optional_or_optional",
    name: "or",
    method: "(optional(V), optional(V)) -> optional(V)",
    evaluate: "planned",
    cost: unitCost,
    example: "optional.none().or(optional.of(1)) == optional.of(1)",
  },
  {
    id: "optional_orValue_value",
    name: "orValue",
    method: "(optional(V), V) -> V",
    evaluate: "planned",
    cost: unitCost,
    example: "optional.none().orValue(1) == 1",
  },
  {
    id: "select_optional_field",
    name: "_?._",
    function: "(dyn, string) -> optional(V)",
    evaluate: "planned",
    cost: unitCost,
    example: "{'a': 1}.?a == optional.of(1)",
  },
  {
    id: "list_optindex_optional_int",
    name: "_[?_]",
    function: "(list(V), int) -> optional(V)",
    evaluate: "planned",
    cost: unitCost,
    example: "[1][?1] == optional.none()",
  },
  {
    id: "optional_list_optindex_optional_int",
    name: "_[?_]",
    function: "(optional(list(V)), int) -> optional(V)",
    evaluate: "planned",
    cost: unitCost,
    example: "optional.of([1])[?0] == optional.of(1)",
  },
  {
    id: "map_optindex_optional_value",
    name: "_[?_]",
    function: "(map(K, V), K) -> optional(V)",
    evaluate: "planned",
    cost: unitCost,
    example: "{'a': 1}[?'b'] == optional.none()",
  },
  {
    id: "optional_map_optindex_optional_value",
    name: "_[?_]",
    function: "(optional(map(K, V)), K) -> optional(V)",
    evaluate: "planned",
    cost: unitCost,
    example: "optional.of({'a': 1})[?'a'] == optional.of(1)",
  },
  {
    id: "optional_list_index_int",
    name: "_[_]",
    function: "(optional(list(V)), int) -> optional(V)",
    evaluate: "planned",
    cost: unitCost,
    example: "optional.of([1])[0] == optional.of(1)",
  },
  {
    id: "optional_map_index_value",
    name: "_[_]",
    function: "(optional(map(K, V)), K) -> optional(V)",
    evaluate: "planned",
    cost: unitCost,
    example: "optional.of({'a': 1})['a'] == optional.of(1)",
  },
  {
    id: "list_last",
    name: "last",
    method: "(list(V)) -> optional(V)",
    evaluate: (list: List) => at(list, -1),
    cost: unitCost,
    example: "[1, 2].last() == optional.of(2)",
  },
  {
    id: "list_first",
    name: "first",
    method: "(list(V)) -> optional(V)",
    evaluate: (list: List) => at(list, 0),
    cost: unitCost,
    example: "[1, 2].first() == optional.of(1)",
  },
  {
    id: "optional_unwrap",
    name: "optional.unwrap",
    function: "(list(optional(V))) -> list(V)",
    evaluate: unwrap,
    cost: unitCost,
    example: "optional.unwrap([optional.of(1), optional.none()]) == [1]",
  },
  {
    id: "optional_unwrapOpt",
    name: "unwrapOpt",
    method: "(list(optional(V))) -> list(V)",
    evaluate: unwrap,
    cost: unitCost,
    example: "[optional.of(1), optional.none()].unwrapOpt() == [1]",
  },
]

/** An optional may hold null; undefined says that it holds nothing. */
function missing(value: Value | undefined): Value {
  return value === null ? null : fail("optional.none() dereference")
}

/** Optional values, with the macros and the operators that make them. */
export const optionalsLibrary: Library = {
  name: "optional",
  overloads: defineOverloads(rows),
  macros: optionalMacros,
  types: [optionalType(dynType)],
}
