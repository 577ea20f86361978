import { fieldTag, varintLength, writeVarint } from "@pilothouse/api/protobuf"
import { blockYaml } from "./block-yaml.ts"

/** How a value of a JSON document is written in protobuf. */
export interface Codec {
  /** 0: a number, 1: eight bytes, 2: bytes with their length before them. */
  readonly wire: 0 | 1 | 2
  /** Every item of a list is a field of its own. */
  readonly repeated?: boolean
  encode(value: unknown): Buffer
}

type Json = Readonly<Record<string, unknown>>

export const text: Codec = { wire: 2, encode: (value) => Buffer.from(String(value)) }
export const flag: Codec = { wire: 0, encode: (value) => varint(value === true ? 1 : 0) }

/** An integer that is not below zero. */
export const integer: Codec = { wire: 0, encode: (value) => varint(Number(value)) }

export const double: Codec = {
  wire: 1,
  encode(value) {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(Number(value))
    return bytes
  },
}

/** A value of any kind, as YAML. */
export const any: Codec = { wire: 2, encode: (value) => field(2, text, blockYaml(value)) }

export function list(codec: Codec): Codec {
  return { ...codec, repeated: true }
}

/** Builds a codec when it is used: messages refer to each other. */
export function lazy(make: () => Codec): Codec {
  return { wire: 2, encode: (value) => make().encode(value) }
}

/** The fields of an object by their names, and the number of the field that takes its extensions ("x-…"). */
export function message(fields: Readonly<Record<string, readonly [number: number, codec: Codec]>>, extensions?: number): Codec {
  const rows = Object.entries(fields).sort(([, [left]], [, [right]]) => left - right)
  return {
    wire: 2,
    encode(value) {
      const parts = rows.flatMap(([name, [number, codec]]) => fieldsOf(number, codec, (value as Json)[name]))
      const own = Object.entries(value as Json).filter(([name]) => name.startsWith("x-"))
      const more = extensions === undefined ? [] : own.map(([name, one]) => field(extensions, pair(any), [name, one]))
      return Buffer.concat([...parts, ...more])
    },
  }
}

function fieldsOf(number: number, codec: Codec, value: unknown): readonly Buffer[] {
  if (value === undefined || isZero(codec, value)) return []
  if (codec.repeated !== true) return [field(number, codec, value)]
  return (value as readonly unknown[]).map((one) => field(number, codec, one))
}

/** Protobuf leaves these out. */
function isZero(codec: Codec, value: unknown): boolean {
  return (
    (codec === text && value === "") ||
    (codec === flag && value === false) ||
    ((codec === integer || codec === double) && Number(value) === 0)
  )
}

/** A map: a message whose entries have a name and a value. */
export function named(codec: Codec, number = 1): Codec {
  return { wire: 2, encode: (value) => Buffer.concat(Object.entries(value as Json).map((entry) => field(number, pair(codec), entry))) }
}

/** One of several messages, by what the value is; an empty one for what none of them can say. */
export function either(choose: (value: unknown) => readonly [number: number, codec: Codec] | undefined): Codec {
  return {
    wire: 2,
    encode(value) {
      const [number, codec] = choose(value) ?? []
      return number === undefined || codec === undefined ? Buffer.alloc(0) : field(number, codec, value)
    },
  }
}

function pair(codec: Codec): Codec {
  return {
    wire: 2,
    encode: (entry) => Buffer.concat([field(1, text, (entry as [string, unknown])[0]), field(2, codec, (entry as [string, unknown])[1])]),
  }
}

function field(number: number, codec: Codec, value: unknown): Buffer {
  const content = codec.encode(value)
  return Buffer.concat([codec.wire === 2 ? fieldHead(number, content.length) : varint(fieldTag(number, codec.wire)), content])
}

/** Returns the tag and the length that precede the bytes of a message or a string. */
export function fieldHead(number: number, length: number): Buffer {
  return Buffer.concat([varint(fieldTag(number, 2)), varint(length)])
}

function varint(value: number): Buffer {
  const bytes = Buffer.alloc(varintLength(value))
  writeVarint(bytes, 0, value)
  return bytes
}
