// The field tables, compiled from the generated strings message by message as they are met.
//
// A table has one message per line: its name and its fields, separated by spaces. "@" before the name: a kind, which can be a whole body.
// "|" before it: a union, whose JSON is the first present of its fields. A field is its JSON name, "=" and its number (left out when it is the
// previous one plus 1), a mark, and a type (left out when it is "s").
//
//   mark  in Go                        in JSON
//   !     a value                      always there, as its zero value if need be
//   .     a value, omitempty           left out when zero
//   ?  &  a pointer                    there when it is on the wire, zero or not  /  always there, as null if need be
//   *  +  a list                       left out when empty  /  always there: [] when empty
//   %  ^  a map with string keys       left out when empty  /  always there: {} when empty
//   ~     an embedded struct           its fields stand among the parent's; the name is only for messages
//
//   type: s string, i int32, l int64, b bool, y bytes, d double, t Time, u MicroTime, n Duration, q Quantity, x IntOrString,
//   j JSON text, r RawExtension, L {1: repeated string}; "Container" a message of this table, "core/v1.Container" of another.
import { PilothouseError } from "@pilothouse/seams"
import { tables } from "../generated/all.protobuf.ts"
import { Wire } from "./wire.ts"

export const Type = {
  string: 0,
  message: 1,
  int32: 2,
  int64: 3,
  bool: 4,
  bytes: 5,
  double: 6,
  time: 7,
  microTime: 8,
  duration: 9,
  quantity: 10,
  intOrString: 11,
  json: 12,
  raw: 13,
  strings: 14,
} as const
export type Type = (typeof Type)[keyof typeof Type]

export const Shape = { single: 0, list: 1, map: 2, inline: 3 } as const
export type Shape = (typeof Shape)[keyof typeof Shape]

/** A field of a message in Go's wire form and in its JSON; the table of marks above says which flags a mark sets. */
export interface Field {
  readonly number: number
  readonly name: string
  readonly type: Type
  readonly shape: Shape
  /** The wire type of one value. */
  readonly wire: number
  /** A single: on the wire means in the JSON. */
  readonly keepsZero: boolean
  /** A single, list or map: in the JSON even when not on the wire. */
  readonly always: boolean
  /** A single that Go leaves out of the bytes when it is nil. */
  readonly pointer: boolean
  /** Go's JSON has null where it is nil or unset. */
  readonly writesNull: boolean
  /** Of the type "message": where it is defined. */
  readonly reference: string
  /** The message itself, once it was needed. */
  message: Message | undefined
}

/** A message with its fields in the order of the table. Compiled when it is first needed, and shared from then on. */
export interface Message {
  /** "core/v1.Container" */
  readonly name: string
  readonly isUnion: boolean
  readonly fields: readonly Field[]
  readonly byNumber: readonly (Field | undefined)[]
  /** The fields marked "!" or "~" except bytes: Go writes every one of them, so counting them says whether any is missing. */
  readonly alwaysSingles: readonly Field[]
  /** The fields marked "+" or "^". */
  readonly alwaysCollections: readonly Field[]
}

const types: Readonly<Record<string, Type>> = {
  "": Type.string,
  i: Type.int32,
  l: Type.int64,
  b: Type.bool,
  y: Type.bytes,
  d: Type.double,
  t: Type.time,
  u: Type.microTime,
  n: Type.duration,
  q: Type.quantity,
  x: Type.intOrString,
  j: Type.json,
  r: Type.raw,
  L: Type.strings,
}

const shapes: Readonly<Record<string, Shape>> = { "*": Shape.list, "+": Shape.list, "%": Shape.map, "^": Shape.map, "~": Shape.inline }

const wordPattern = /^([^=!.?&*+%^~]+)(?:=(\d+))?([!.?&*+%^~])(.*)$/

/** A cache of what the constant tables say, filled as kinds are met: nothing that one caller does shows to another. */
const compiled = new Map<string, Message>()

/** The message of a kind that can be a body; undefined if no table has it. Every group knows the kinds of meta/v1 (DeleteOptions, Status…). */
export function kindMessage(apiVersion: string, kind: string): Message | undefined {
  const path = tables.find((row) => row[1] === apiVersion)?.[0]
  const own = path === undefined ? undefined : findMessage(path, kind, "@")
  return own ?? findMessage("meta/v1", kind, "@")
}

/** Reports whether bodies of this kind can be protobuf. Custom resources never are. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return kindMessage(apiVersion, kind) !== undefined
}

/** Every kind of every table, for tests and listings. */
export function protobufKinds(): { readonly apiVersion: string; readonly kind: string }[] {
  return tables.flatMap(([, apiVersion, table]) => [...table.matchAll(/^@(\w+)/gm)].map((match) => ({ apiVersion, kind: match[1] ?? "" })))
}

/** Returns the message that a field refers to, looked up once per field. */
export function messageOf(field: Field): Message {
  if (field.message !== undefined) return field.message
  const dot = field.reference.lastIndexOf(".")
  const path = field.reference.slice(0, dot)
  const name = field.reference.slice(dot + 1)
  const message = findType(path, name)
  if (message === undefined) throw new PilothouseError("INVALID", `the protobuf tables refer to ${field.reference} and do not have it`)
  field.message = message
  return message
}

/** A message that a table has, whether it can be a body or not. */
export function findType(path: string, name: string): Message | undefined {
  return findMessage(path, name, "") ?? findMessage(path, name, "@") ?? findMessage(path, name, "|")
}

function findMessage(path: string, name: string, prefix: "" | "@" | "|"): Message | undefined {
  const key = `${path}${prefix}.${name}`
  const known = compiled.get(key)
  if (known !== undefined || !/^\w+$/.test(name)) return known
  const table = tables.find((row) => row[0] === path)?.[2] ?? ""
  const message = compile(table, path, name, prefix)
  // Misses are not kept: their names come from outside and have no end.
  if (message !== undefined) compiled.set(key, message)
  return message
}

function compile(table: string, path: string, name: string, prefix: string): Message | undefined {
  const head = `\n${prefix}${name}`
  let start = table.indexOf(`${head} `)
  if (start < 0) start = table.indexOf(`${head}\n`)
  if (start < 0) return undefined
  const line = table.slice(start + 1, table.indexOf("\n", start + 1))
  return messageFrom(`${path}.${name}`, prefix === "|", parseFields(path, line.split(" ").slice(1)))
}

/** Builds a message of the tables, with its fields by number and those that Go always writes. */
export function messageFrom(name: string, isUnion: boolean, fields: readonly Field[]): Message {
  const byNumber: (Field | undefined)[] = []
  for (const field of fields) {
    while (byNumber.length <= field.number) byNumber.push(undefined)
    byNumber[field.number] = field
  }
  return {
    name,
    isUnion,
    fields,
    byNumber,
    alwaysSingles: fields.filter(isAlwaysSingle),
    alwaysCollections: fields.filter((field) => (field.shape === Shape.list || field.shape === Shape.map) && field.always),
  }
}

/** Nil bytes are left out of the wire and null in JSON, so there is nothing to fill in for them. */
function isAlwaysSingle(field: Field): boolean {
  return field.shape === Shape.inline || (field.shape === Shape.single && field.always && field.type !== Type.bytes)
}

function parseFields(path: string, words: readonly string[]): Field[] {
  let number = 0
  return words.map((word) => {
    const [, name = "", given, mark = "", type = ""] = wordPattern.exec(word) ?? []
    number = given === undefined ? number + 1 : Number(given)
    const code = types[type] ?? Type.message
    return {
      number,
      name,
      type: code,
      shape: shapes[mark] ?? Shape.single,
      wire: wireOf(code),
      keepsZero: isOneOf(mark, "!?&"),
      always: isOneOf(mark, "!+^"),
      pointer: isOneOf(mark, "?&"),
      writesNull: isWrittenAsNull(mark, code),
      reference: type.includes(".") ? type : `${path}.${type}`,
      message: undefined,
    }
  })
}

function isOneOf(mark: string, marks: string): boolean {
  return mark !== "" && marks.includes(mark)
}

function isWrittenAsNull(mark: string, type: Type): boolean {
  return isOneOf(mark, "&+^") || (mark === "!" && isNilable(type))
}

/** Types whose zero value is null in JSON. */
function isNilable(type: Type): boolean {
  return type === Type.time || type === Type.microTime || type === Type.json || type === Type.raw || type === Type.bytes
}

function wireOf(type: Type): number {
  if (type === Type.int32 || type === Type.int64 || type === Type.bool) return Wire.varint
  return type === Type.double ? Wire.fixed64 : Wire.bytes
}
