import {
  type CostRule,
  comparisonCost,
  concatenationCost,
  equalityCost,
  freeCost,
  itemsCost,
  listConcatenationCost,
  sizeOf,
  unitCost,
} from "../cost/cost-rule.ts"
import { union } from "../cost/interval.ts"
import { defineOverloads, type OverloadRow } from "../environment/overload.ts"
import { Duration } from "../values/duration.ts"
import { equal } from "../values/equality.ts"
import { addInts, checkUint, divideInts, moduloInts, multiplyInts, negateInt, subtractInts } from "../values/integers.ts"
import { type AnyMap, mapGet } from "../values/maps.ts"
import type { Timestamp } from "../values/timestamp.ts"
import { double, doubleValue, fail, Uint, type Value } from "../values/value.ts"
import { countWork } from "../values/work.ts"

type Evaluate2<T extends Value> = (left: T, right: T) => Value

function uints(compute: (left: bigint, right: bigint) => bigint): Evaluate2<Uint> {
  return (left, right) => new Uint(checkUint(compute(left.value, right.value)))
}

function doubles(compute: (left: number, right: number) => number): Evaluate2<Value> {
  return (left, right) => double(compute(doubleValue(left), doubleValue(right)))
}

function durations(compute: (left: bigint, right: bigint) => bigint): Evaluate2<Duration> {
  return (left, right) => Duration.of(compute(left.nanoseconds, right.nanoseconds))
}

function concatenateLists(left: readonly Value[], right: readonly Value[]): readonly Value[] {
  countWork(left.length + right.length)
  return [...left, ...right]
}

function concatenateBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length)
  joined.set(left)
  joined.set(right, left.length)
  return joined
}

function nonZero(value: bigint, message: string): bigint {
  return value === 0n ? fail(message) : value
}

const overflow = "integer overflow"

const arithmetic: readonly OverloadRow[] = [
  {
    id: "add_bytes",
    name: "_+_",
    function: "(bytes, bytes) -> bytes",
    evaluate: concatenateBytes,
    cost: concatenationCost,
    example: "b'a' + b'b' == b'ab'",
  },
  {
    id: "add_double",
    name: "_+_",
    function: "(double, double) -> double",
    evaluate: doubles((a, b) => a + b),
    cost: unitCost,
    example: "1.5 + 2.5 == 4.0",
  },
  {
    id: "add_duration_duration",
    name: "_+_",
    function: "(duration, duration) -> duration",
    evaluate: durations((a, b) => a + b),
    cost: unitCost,
    example: "duration('1m') + duration('1s') == duration('61s')",
    failure: ["duration('2562047h') + duration('2562047h')", "duration overflow"],
  },
  {
    id: "add_duration_timestamp",
    name: "_+_",
    function: "(duration, timestamp) -> timestamp",
    evaluate: (left: Duration, right: Timestamp) => right.add(left),
    cost: unitCost,
    example: "duration('1s') + timestamp(0) == timestamp(1)",
  },
  {
    id: "add_timestamp_duration",
    name: "_+_",
    function: "(timestamp, duration) -> timestamp",
    evaluate: (left: Timestamp, right: Duration) => left.add(right),
    cost: unitCost,
    example: "timestamp(0) + duration('1s') == timestamp(1)",
    failure: ["timestamp('9999-12-31T23:59:59Z') + duration('1s')", "timestamp overflow"],
  },
  {
    id: "add_int64",
    name: "_+_",
    function: "(int, int) -> int",
    evaluate: addInts,
    cost: unitCost,
    example: "1 + 2 == 3",
    failure: ["9223372036854775807 + 1", overflow],
  },
  {
    id: "add_list",
    name: "_+_",
    function: "(list(A), list(A)) -> list(A)",
    evaluate: concatenateLists,
    cost: listConcatenationCost,
    example: "[1] + [2] == [1, 2]",
  },
  {
    id: "add_string",
    name: "_+_",
    function: "(string, string) -> string",
    evaluate: (left: string, right: string) => left + right,
    cost: concatenationCost,
    example: "'a' + 'b' == 'ab'",
  },
  {
    id: "add_uint64",
    name: "_+_",
    function: "(uint, uint) -> uint",
    evaluate: uints((a, b) => a + b),
    cost: unitCost,
    example: "1u + 2u == 3u",
    failure: ["18446744073709551615u + 1u", "unsigned integer overflow"],
  },
  {
    id: "divide_double",
    name: "_/_",
    function: "(double, double) -> double",
    evaluate: doubles((a, b) => a / b),
    cost: unitCost,
    example: "7.0 / 2.0 == 3.5",
  },
  {
    id: "divide_int64",
    name: "_/_",
    function: "(int, int) -> int",
    evaluate: divideInts,
    cost: unitCost,
    example: "-7 / 2 == -3",
    failure: ["1 / 0", "division by zero"],
  },
  {
    id: "divide_uint64",
    name: "_/_",
    function: "(uint, uint) -> uint",
    evaluate: uints((a, b) => a / nonZero(b, "division by zero")),
    cost: unitCost,
    example: "7u / 2u == 3u",
    failure: ["1u / 0u", "division by zero"],
  },
  {
    id: "modulo_int64",
    name: "_%_",
    function: "(int, int) -> int",
    evaluate: moduloInts,
    cost: unitCost,
    example: "-7 % 2 == -1",
    failure: ["1 % 0", "modulus by zero"],
  },
  {
    id: "modulo_uint64",
    name: "_%_",
    function: "(uint, uint) -> uint",
    evaluate: uints((a, b) => a % nonZero(b, "modulus by zero")),
    cost: unitCost,
    example: "7u % 2u == 1u",
    failure: ["1u % 0u", "modulus by zero"],
  },
  {
    id: "multiply_double",
    name: "_*_",
    function: "(double, double) -> double",
    evaluate: doubles((a, b) => a * b),
    cost: unitCost,
    example: "1.5 * 2.0 == 3.0",
  },
  {
    id: "multiply_int64",
    name: "_*_",
    function: "(int, int) -> int",
    evaluate: multiplyInts,
    cost: unitCost,
    example: "-2 * 3 == -6",
    failure: ["4611686018427387904 * 2", overflow],
  },
  {
    id: "multiply_uint64",
    name: "_*_",
    function: "(uint, uint) -> uint",
    evaluate: uints((a, b) => a * b),
    cost: unitCost,
    example: "2u * 3u == 6u",
    failure: ["9223372036854775808u * 2u", "unsigned integer overflow"],
  },
  {
    id: "negate_double",
    name: "-_",
    function: "(double) -> double",
    evaluate: (value: Value) => double(-doubleValue(value)),
    cost: unitCost,
    example: "-(1.5) == -1.5",
  },
  {
    id: "negate_duration",
    name: "-_",
    function: "(duration) -> duration",
    isDynamic: true,
    evaluate: ({ nanoseconds }: Duration) => Duration.of(-nanoseconds),
    cost: unitCost,
    example: "-dyn(duration('1s')) == duration('-1s')",
  },
  {
    id: "negate_int64",
    name: "-_",
    function: "(int) -> int",
    evaluate: negateInt,
    cost: unitCost,
    example: "-(5) == -5",
    failure: ["-(-9223372036854775808)", overflow],
  },
  {
    id: "subtract_double",
    name: "_-_",
    function: "(double, double) -> double",
    evaluate: doubles((a, b) => a - b),
    cost: unitCost,
    example: "2.5 - 1.0 == 1.5",
  },
  {
    id: "subtract_duration_duration",
    name: "_-_",
    function: "(duration, duration) -> duration",
    evaluate: durations((a, b) => a - b),
    cost: unitCost,
    example: "duration('1m') - duration('1s') == duration('59s')",
  },
  {
    id: "subtract_int64",
    name: "_-_",
    function: "(int, int) -> int",
    evaluate: subtractInts,
    cost: unitCost,
    example: "5 - 7 == -2",
    failure: ["-9223372036854775808 - 1", overflow],
  },
  {
    id: "subtract_timestamp_duration",
    name: "_-_",
    function: "(timestamp, duration) -> timestamp",
    evaluate: (left: Timestamp, right: Duration) => left.add(Duration.of(-right.nanoseconds)),
    cost: unitCost,
    example: "timestamp(1) - duration('1s') == timestamp(0)",
  },
  {
    id: "subtract_timestamp_timestamp",
    name: "_-_",
    function: "(timestamp, timestamp) -> duration",
    evaluate: (left: Timestamp, right: Timestamp) => left.since(right),
    cost: unitCost,
    example: "timestamp(1) - timestamp(0) == duration('1s')",
  },
  {
    id: "subtract_uint64",
    name: "_-_",
    function: "(uint, uint) -> uint",
    evaluate: uints((a, b) => a - b),
    cost: unitCost,
    example: "3u - 1u == 2u",
    failure: ["1u - 2u", "unsigned integer overflow"],
  },
]

/** A conditional is free beside its condition and the branch that is taken; the result is as large as either branch. */
const conditionalCost: CostRule = {
  actual: freeCost.actual,
  estimate: (args) => ({ ...freeCost.estimate(args), resultSize: union(sizeOf(args[1]), sizeOf(args[2])) }),
}

const logic: readonly OverloadRow[] = [
  {
    id: "conditional",
    name: "_?_:_",
    function: "(bool, A, A) -> A",
    evaluate: "planned",
    cost: conditionalCost,
    example: "true ? 1 == 1 : 1 == 2",
  },
  {
    id: "logical_and",
    name: "_&&_",
    function: "(bool, bool) -> bool",
    evaluate: "planned",
    cost: freeCost,
    example: "true && !(1 / 0 == 1 && false)",
  },
  {
    id: "logical_or",
    name: "_||_",
    function: "(bool, bool) -> bool",
    evaluate: "planned",
    cost: freeCost,
    example: "1 / 0 == 1 || true",
    failure: ["1 / 0 == 1 || false", "division by zero"],
  },
  { id: "logical_not", name: "!_", function: "(bool) -> bool", evaluate: (value: boolean) => !value, cost: unitCost, example: "!false" },
  {
    id: "not_strictly_false",
    name: "@not_strictly_false",
    function: "(bool) -> bool",
    evaluate: "planned",
    cost: unitCost,
    example: "[1].all(x, x == 1)",
  },
  { id: "equals", name: "_==_", function: "(A, A) -> bool", evaluate: equal, cost: equalityCost, example: "'a' == 'a'" },
  {
    id: "not_equals",
    name: "_!=_",
    function: "(A, A) -> bool",
    evaluate: (left: Value, right: Value) => !equal(left, right),
    cost: comparisonCost,
    example: "'a' != 'b'",
  },
]

const membership: readonly OverloadRow[] = [
  {
    id: "index_list",
    name: "_[_]",
    function: "(list(A), int) -> A",
    evaluate: "planned",
    cost: unitCost,
    example: "[1, 2][1] == 2",
    failure: ["[1][3]", "index out of bounds: 3"],
  },
  {
    id: "index_map",
    name: "_[_]",
    function: "(map(A, B), A) -> B",
    evaluate: "planned",
    cost: unitCost,
    example: "{'a': 1}['a'] == 1",
    failure: ["{'a': 1}['b'] == 1", "no such key: b"],
  },
  {
    id: "in_list",
    name: "@in",
    function: "(A, list(A)) -> bool",
    evaluate: (item: Value, list: readonly Value[]) => list.some((one) => equal(item, one)),
    cost: itemsCost(1),
    example: "1 in [1, 2]",
  },
  {
    id: "in_map",
    name: "@in",
    function: "(A, map(A, B)) -> bool",
    evaluate: (key: Value, map: AnyMap) => mapGet(map, key) !== undefined,
    cost: unitCost,
    example: "'a' in {'a': 1}",
  },
]

/** The operators of the language, except those of order. */
export const operators = defineOverloads([...logic, ...arithmetic, ...membership])
