// Objects to bytes, the same bytes as Go's encoder writes for them: the size of an object as upstream stores it. Answers are always JSON.
import { PilothouseError, stringifyJson } from "@pilothouse/seams"
import { magic } from "./envelope.ts"
import { type Field, kindMessage, type Message, messageOf, Shape, Type } from "./table.ts"
import { writeWellKnownType } from "./well-known-type-writer.ts"
import { Wire } from "./wire.ts"
import { WireWriter } from "./wire-writer.ts"

type JsonObject = Readonly<Record<string, unknown>>

/** A body: envelope and object. Fields that the kind does not have are left out, as Go does. Throws INVALID for values of the wrong type. */
export function encodeProtobuf(object: unknown): Uint8Array {
  const writer = new WireWriter()
  writeBody(writer, object)
  return writer.finish()
}

/** Envelope and object, without a length before them. */
export function writeBody(writer: WireWriter, object: unknown): void {
  if (!isObject(object)) throw new PilothouseError("INVALID", "only an object with apiVersion and kind can be a protobuf body")
  const { apiVersion, kind } = object
  const message = kindMessage(String(apiVersion), String(kind))
  if (message === undefined)
    throw new PilothouseError("INVALID", `the kind "${kind}" of "${apiVersion}" has no protobuf form here; send it as JSON`)
  // From the end to the beginning: content type, content encoding, object, type.
  writer.string("")
  writer.tag(4, Wire.bytes)
  writer.string("")
  writer.tag(3, Wire.bytes)
  const beforeObject = writer.size
  writeMessage(writer, message, object, "")
  writer.length(beforeObject)
  writer.tag(2, Wire.bytes)
  const beforeType = writer.size
  writer.string(String(kind))
  writer.tag(2, Wire.bytes)
  writer.string(String(apiVersion))
  writer.tag(1, Wire.bytes)
  writer.length(beforeType)
  writer.tag(1, Wire.bytes)
  writer.raw(magic)
}

function writeMessage(writer: WireWriter, message: Message, value: unknown, path: string): void {
  const object = message.isUnion ? wrap(message, value) : (value ?? {})
  if (!isObject(object)) throw wrongType(path, "an object", value)
  for (let number = message.byNumber.length - 1; number > 0; number--) {
    const field = message.byNumber[number]
    if (field === undefined) continue
    const place = field.shape === Shape.inline ? path : `${path}.${field.name}`
    if (field.shape === Shape.inline) writeValue(writer, field, object, place)
    else if (field.shape === Shape.list) writeList(writer, field, object[field.name], place)
    else if (field.shape === Shape.map) writeMap(writer, field, object[field.name], place)
    else if (isWritten(field, object[field.name])) writeValue(writer, field, object[field.name], place)
  }
}

/** Go writes every value that is not a pointer, zero or not. Nil bytes and lists count as pointers. */
function isWritten(field: Field, value: unknown): boolean {
  if (value !== undefined && value !== null) return true
  return !field.pointer && field.type !== Type.bytes && field.type !== Type.strings
}

function writeList(writer: WireWriter, field: Field, value: unknown, path: string): void {
  if (value === undefined || value === null) return
  if (!Array.isArray(value)) throw wrongType(path, "a list", value)
  for (let index = value.length - 1; index >= 0; index--) writeValue(writer, field, value[index], `${path}[${index}]`)
}

function writeMap(writer: WireWriter, field: Field, value: unknown, path: string): void {
  if (value === undefined || value === null) return
  if (!isObject(value)) throw wrongType(path, "an object", value)
  for (const key of Object.keys(value).sort().reverse()) {
    const before = writer.size
    writeBare(writer, field, value[key], `${path}["${key}"]`)
    writer.tag(2, field.wire)
    writer.string(key)
    writer.tag(1, Wire.bytes)
    writer.length(before)
    writer.tag(field.number, Wire.bytes)
  }
}

function writeValue(writer: WireWriter, field: Field, value: unknown, path: string): void {
  writeBare(writer, field, value, path)
  writer.tag(field.number, field.wire)
}

/** A value without its tag. */
function writeBare(writer: WireWriter, field: Field, value: unknown, path: string): void {
  if (field.type !== Type.message) {
    const expected = writeWellKnownType(writer, field.type, value)
    if (expected !== undefined) throw wrongType(path, expected, value)
    return
  }
  const before = writer.size
  writeMessage(writer, messageOf(field), value, path)
  writer.length(before)
}

/** A union's JSON put back under the field that it came from: a list, a boolean or a schema (which also allows). */
function wrap(message: Message, value: unknown): JsonObject {
  if (value === undefined || value === null) return {}
  if (Array.isArray(value)) return { list: value }
  if (typeof value === "boolean") return { allows: value }
  return message.fields.some((field) => field.name === "allows") ? { allows: true, schema: value } : { schema: value }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function wrongType(path: string, expected: string, value: unknown): PilothouseError {
  return new PilothouseError("INVALID", `${path.slice(1)}: expected ${expected}, found ${stringifyJson(value) ?? String(value)}`)
}
