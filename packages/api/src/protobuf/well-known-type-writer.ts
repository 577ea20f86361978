// One value of a type that is not a message of the tables, without its tag. Undefined and null are the type's zero.
import { stringifyJson } from "@pilothouse/seams"
import { fromBase64 } from "../text/base64.ts"
import { parseDuration } from "./duration.ts"
import { Type } from "./table.ts"
import { parseTimestamp } from "./timestamp.ts"
import { Wire } from "./wire.ts"
import type { WireWriter } from "./wire-writer.ts"

const none = new Uint8Array(0)
const encoder = new TextEncoder()

type Write = (writer: WireWriter, value: unknown) => string | undefined

const writers: { readonly [type: number]: Write } = {
  [Type.string]: (writer, value) => writeString(writer, value ?? ""),
  [Type.int32]: (writer, value) => writeInteger(writer, value ?? 0),
  [Type.int64]: (writer, value) => writeInteger(writer, value ?? 0),
  [Type.bool]: (writer, value) => writeBool(writer, value ?? false),
  [Type.double]: (writer, value) => writeDouble(writer, value ?? 0),
  [Type.bytes]: (writer, value) => writeBase64(writer, value ?? ""),
  [Type.time]: (writer, value) => writeTime(writer, value, false),
  [Type.microTime]: (writer, value) => writeTime(writer, value, true),
  [Type.duration]: (writer, value) => writeDuration(writer, value ?? "0s"),
  [Type.quantity]: (writer, value) => writeQuantity(writer, value ?? "0"),
  [Type.intOrString]: (writer, value) => writeIntOrString(writer, value ?? 0),
  [Type.strings]: (writer, value) => writeStrings(writer, value ?? []),
}

/** Answers what was expected where the value is of another type. */
export function writeWellKnownType(writer: WireWriter, type: Type, value: unknown): string | undefined {
  const write = writers[type] ?? writeJson
  return write(writer, value)
}

function writeString(writer: WireWriter, value: unknown): string | undefined {
  if (typeof value !== "string") return "a string"
  writer.string(value)
  return undefined
}

function writeInteger(writer: WireWriter, value: unknown): string | undefined {
  if (!Number.isInteger(value) && typeof value !== "bigint") return "a whole number"
  writer.int64(BigInt(value as number | bigint))
  return undefined
}

function writeBool(writer: WireWriter, value: unknown): string | undefined {
  if (typeof value !== "boolean") return "true or false"
  writer.varint(value ? 1 : 0)
  return undefined
}

function writeDouble(writer: WireWriter, value: unknown): string | undefined {
  // A double that is an integer beyond 2^53 has the form of one.
  if (typeof value !== "number" && typeof value !== "bigint") return "a number"
  writer.double(Number(value))
  return undefined
}

function writeBase64(writer: WireWriter, value: unknown): string | undefined {
  const bytes = typeof value === "string" ? fromBase64(value) : undefined
  if (bytes === undefined) return "base64 text"
  writer.bytes(bytes)
  return undefined
}

/** Go's zero time is an empty message. Time has no fraction, MicroTime has six digits. */
function writeTime(writer: WireWriter, value: unknown, micro: boolean): string | undefined {
  if (value === undefined || value === null) return writeEmpty(writer)
  const time = typeof value === "string" ? parseTimestamp(value) : undefined
  if (time === undefined) return "an RFC 3339 time"
  const before = writer.size
  writer.varint(micro ? time.nanos - (time.nanos % 1000) : 0)
  writer.tag(2, Wire.varint)
  writer.int64(BigInt(time.seconds))
  writer.tag(1, Wire.varint)
  writer.length(before)
  return undefined
}

function writeDuration(writer: WireWriter, value: unknown): string | undefined {
  const nanoseconds = typeof value === "string" ? parseDuration(value) : undefined
  if (nanoseconds === undefined) return 'a duration like "1m30s"'
  const before = writer.size
  writer.int64(nanoseconds)
  writer.tag(1, Wire.varint)
  writer.length(before)
  return undefined
}

/** JSON may hold a quantity as a number. */
function writeQuantity(writer: WireWriter, value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return "a quantity"
  const before = writer.size
  writer.string(String(value))
  writer.tag(1, Wire.bytes)
  writer.length(before)
  return undefined
}

function writeIntOrString(writer: WireWriter, value: unknown): string | undefined {
  if (typeof value !== "string" && !Number.isInteger(value)) return "a whole number or a string"
  const before = writer.size
  writer.string(typeof value === "string" ? value : "")
  writer.tag(3, Wire.bytes)
  writer.int64(typeof value === "string" ? 0n : BigInt(value as number))
  writer.tag(2, Wire.varint)
  writer.varint(typeof value === "string" ? 1 : 0)
  writer.tag(1, Wire.varint)
  writer.length(before)
  return undefined
}

function writeStrings(writer: WireWriter, value: unknown): string | undefined {
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) return "a list of strings"
  const before = writer.size
  for (const item of value.toReversed()) {
    writer.string(item)
    writer.tag(1, Wire.bytes)
  }
  writer.length(before)
  return undefined
}

function writeJson(writer: WireWriter, value: unknown): string | undefined {
  if (value === undefined || value === null) return writeEmpty(writer)
  const before = writer.size
  writer.bytes(encoder.encode(stringifyJson(value)))
  writer.tag(1, Wire.bytes)
  writer.length(before)
  return undefined
}

function writeEmpty(writer: WireWriter): undefined {
  writer.bytes(none)
}
