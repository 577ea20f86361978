import { type CostRule, traversalCost, unitCost } from "../cost/cost-rule.ts"
import { unbounded } from "../cost/interval.ts"
import { defineOverloads, type OverloadRow } from "../environment/overload.ts"
import type { Type } from "../types/types.ts"
import { formatDouble, parseDouble } from "../values/doubles.ts"
import { type Duration, parseDuration } from "../values/duration.ts"
import { checkUint, doubleToInt, doubleToUint, int, parseInt64, parseUint64 } from "../values/integers.ts"
import { typeOf } from "../values/kinds.ts"
import { decodeUtf8, encodeUtf8 } from "../values/text.ts"
import { parseTimestamp, Timestamp } from "../values/timestamp.ts"
import { double, doubleValue, fail, Uint, type Value } from "../values/value.ts"
import { countParsing } from "../values/work.ts"

const same = (value: Value): Value => value

/** Parses a text; fails in upstream's words for one that does not spell a value of the type. */
function converted<T>(text: string, parse: (text: string) => T | undefined, to: string): T {
  countParsing(text.length)
  return parse(text) ?? fail(`type conversion error from 'string' to '${to}'`)
}

const booleans: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true]),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false]),
])

function parseBool(text: string): boolean | undefined {
  return Object.hasOwn(booleans, text) ? booleans[text] : undefined
}

/** Bytes of a text are at most four for each character. */
const encodeCost: CostRule = traversalCost(0, 0, ({ min, max }) => ({ min, max: Math.min(max * 4, unbounded) }))
const decodeCost: CostRule = traversalCost(0, 0, ({ min, max }) => ({ min: Math.floor(min / 4), max }))

const toNumbers: readonly OverloadRow[] = [
  { id: "double_to_double", name: "double", function: "(double) -> double", evaluate: same, cost: unitCost, example: "double(1.5) == 1.5" },
  {
    id: "int64_to_double",
    name: "double",
    function: "(int) -> double",
    evaluate: (value: number | bigint) => double(Number(value)),
    cost: unitCost,
    example: "double(2) == 2.0",
  },
  {
    id: "string_to_double",
    name: "double",
    function: "(string) -> double",
    evaluate: (text: string) => double(converted(text, parseDouble, "double")),
    cost: unitCost,
    example: "double('1.5') == 1.5",
    failure: ["double('x')", "type conversion error from 'string' to 'double'"],
  },
  {
    id: "uint64_to_double",
    name: "double",
    function: "(uint) -> double",
    evaluate: ({ value }: Uint) => double(Number(value)),
    cost: unitCost,
    example: "double(2u) == 2.0",
  },
  { id: "int64_to_int64", name: "int", function: "(int) -> int", evaluate: same, cost: unitCost, example: "int(1) == 1" },
  {
    id: "double_to_int64",
    name: "int",
    function: "(double) -> int",
    evaluate: (value: Value) => doubleToInt(doubleValue(value)),
    cost: unitCost,
    example: "int(1.9) == 1",
    failure: ["int(1e99)", "integer overflow"],
  },
  {
    id: "duration_to_int64",
    name: "int",
    function: "(duration) -> int",
    evaluate: ({ nanoseconds }: Duration) => int(nanoseconds),
    cost: unitCost,
    example: "int(duration('1s')) == 1000000000",
  },
  {
    id: "string_to_int64",
    name: "int",
    function: "(string) -> int",
    evaluate: (text: string) => converted(text, parseInt64, "int"),
    cost: unitCost,
    example: "int('-12') == -12",
    failure: ["int('x')", "type conversion error from 'string' to 'int'"],
  },
  {
    id: "timestamp_to_int64",
    name: "int",
    function: "(timestamp) -> int",
    evaluate: ({ seconds }: Timestamp) => seconds,
    cost: unitCost,
    example: "int(timestamp('1970-01-01T00:00:01Z')) == 1",
  },
  {
    id: "uint64_to_int64",
    name: "int",
    function: "(uint) -> int",
    evaluate: ({ value }: Uint) => int(value),
    cost: unitCost,
    example: "int(1u) == 1",
    failure: ["int(18446744073709551615u)", "integer overflow"],
  },
  { id: "uint64_to_uint64", name: "uint", function: "(uint) -> uint", evaluate: same, cost: unitCost, example: "uint(1u) == 1u" },
  {
    id: "double_to_uint64",
    name: "uint",
    function: "(double) -> uint",
    evaluate: (value: Value) => new Uint(doubleToUint(doubleValue(value))),
    cost: unitCost,
    example: "uint(1.9) == 1u",
    failure: ["uint(-1.5)", "unsigned integer overflow"],
  },
  {
    id: "int64_to_uint64",
    name: "uint",
    function: "(int) -> uint",
    evaluate: (value: number | bigint) => new Uint(checkUint(BigInt(value))),
    cost: unitCost,
    example: "uint(1) == 1u",
    failure: ["uint(-1)", "unsigned integer overflow"],
  },
  {
    id: "string_to_uint64",
    name: "uint",
    function: "(string) -> uint",
    evaluate: (text: string) => new Uint(converted(text, parseUint64, "uint")),
    cost: unitCost,
    example: "uint('12') == 12u",
    failure: ["uint('-1')", "type conversion error from 'string' to 'uint'"],
  },
]

const toTexts: readonly OverloadRow[] = [
  { id: "bytes_to_bytes", name: "bytes", function: "(bytes) -> bytes", evaluate: same, cost: unitCost, example: "bytes(b'a') == b'a'" },
  {
    id: "string_to_bytes",
    name: "bytes",
    function: "(string) -> bytes",
    evaluate: encodeUtf8,
    cost: encodeCost,
    example: "bytes('é') == b'\\xc3\\xa9'",
  },
  { id: "string_to_string", name: "string", function: "(string) -> string", evaluate: same, cost: unitCost, example: "string('a') == 'a'" },
  {
    id: "bool_to_string",
    name: "string",
    function: "(bool) -> string",
    evaluate: String,
    cost: unitCost,
    example: "string(true) == 'true'",
  },
  {
    id: "bytes_to_string",
    name: "string",
    function: "(bytes) -> string",
    evaluate: (bytes: Uint8Array) => decodeUtf8(bytes) ?? fail("invalid UTF-8 in bytes, cannot convert to string"),
    cost: decodeCost,
    example: "string(b'a') == 'a'",
    failure: ["string(b'\\xff')", "invalid UTF-8 in bytes, cannot convert to string"],
  },
  {
    id: "double_to_string",
    name: "string",
    function: "(double) -> string",
    evaluate: (value: Value) => formatDouble(doubleValue(value)),
    cost: unitCost,
    example: "string(-1.5) == '-1.5'",
  },
  {
    id: "duration_to_string",
    name: "string",
    function: "(duration) -> string",
    evaluate: String,
    cost: unitCost,
    example: "string(duration('1h')) == '3600s'",
  },
  { id: "int64_to_string", name: "string", function: "(int) -> string", evaluate: String, cost: unitCost, example: "string(-12) == '-12'" },
  {
    id: "timestamp_to_string",
    name: "string",
    function: "(timestamp) -> string",
    evaluate: String,
    cost: unitCost,
    example: "string(timestamp(0)) == '1970-01-01T00:00:00Z'",
  },
  {
    id: "uint64_to_string",
    name: "string",
    function: "(uint) -> string",
    evaluate: ({ value }: Uint) => value.toString(),
    cost: unitCost,
    example: "string(12u) == '12'",
  },
]

const toOthers: readonly OverloadRow[] = [
  {
    id: "type",
    name: "type",
    function: "(A) -> type(A)",
    evaluate: (value: Value): Type => typeOf(value),
    cost: unitCost,
    example: "type(1) == int",
  },
  { id: "to_dyn", name: "dyn", function: "(A) -> dyn", evaluate: same, cost: unitCost, example: "dyn(1) == 1.0" },
  { id: "bool_to_bool", name: "bool", function: "(bool) -> bool", evaluate: same, cost: unitCost, example: "bool(true)" },
  {
    id: "string_to_bool",
    name: "bool",
    function: "(string) -> bool",
    evaluate: (text: string) => converted(text, parseBool, "bool"),
    cost: unitCost,
    example: "bool('true')",
    failure: ["bool('yes')", "type conversion error from 'string' to 'bool'"],
  },
  {
    id: "duration_to_duration",
    name: "duration",
    function: "(duration) -> duration",
    evaluate: same,
    cost: unitCost,
    example: "duration(duration('1s')) == duration('1s')",
  },
  {
    id: "int64_to_duration",
    name: "duration",
    function: "(int) -> duration",
    evaluate: () => fail("type conversion error from 'int' to 'google.protobuf.Duration'"),
    cost: unitCost,
    example: "true || duration(1) == duration('1s')",
    failure: ["duration(1)", "type conversion error from 'int' to 'google.protobuf.Duration'"],
  },
  {
    id: "string_to_duration",
    name: "duration",
    function: "(string) -> duration",
    evaluate: (text: string) => converted(text, parseDuration, "google.protobuf.Duration"),
    cost: unitCost,
    example: "duration('1h30m') == duration('5400s')",
    failure: ["duration('1 hour')", "type conversion error from 'string' to 'google.protobuf.Duration'"],
  },
  {
    id: "timestamp_to_timestamp",
    name: "timestamp",
    function: "(timestamp) -> timestamp",
    evaluate: same,
    cost: unitCost,
    example: "timestamp(timestamp(0)) == timestamp(0)",
  },
  {
    id: "int64_to_timestamp",
    name: "timestamp",
    function: "(int) -> timestamp",
    evaluate: (seconds: number | bigint) => Timestamp.of(Number(seconds), 0),
    cost: unitCost,
    example: "timestamp(1) == timestamp('1970-01-01T00:00:01Z')",
    failure: ["timestamp(-62135596801)", "timestamp overflow"],
  },
  {
    id: "string_to_timestamp",
    name: "timestamp",
    function: "(string) -> timestamp",
    evaluate: (text: string) => converted(text, parseTimestamp, "google.protobuf.Timestamp"),
    cost: unitCost,
    example: "timestamp('1970-01-01T01:00:00+01:00') == timestamp(0)",
    failure: ["timestamp('today')", "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  },
]

/** The conversions between types, which are functions with the name of the type they convert to. */
export const conversions = defineOverloads([...toOthers, ...toNumbers, ...toTexts])
