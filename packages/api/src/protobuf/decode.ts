// Bytes to the object that Go's JSON encoder would give for them, with these differences. What Go writes as null (nil pointers, lists, maps and bytes,
// zero times) is left out, except that a nil list or map which its type requires is [] or {}. An int64 beyond ±2^53 is a bigint.
// Quantities stay as they came; Go makes them canonical, and its clients send them so. Checked against Go for every kind.
import { exactNumber, PilothouseError } from "@pilothouse/seams"
import { toBase64 } from "../text/base64.ts"
import { isMagic, readEnvelope } from "./envelope.ts"
import type { PartialKind } from "./partial.ts"
import { type Field, kindMessage, type Message, messageOf, Shape, Type } from "./table.ts"
import {
  parseJson,
  readDuration,
  readIntOrString,
  readMicroTime,
  readQuantity,
  readRaw,
  readStrings,
  readTime,
} from "./well-known-types.ts"
import { Wire, WireFault, WireReader } from "./wire.ts"
import { fillCollections, fillSingles, type JsonObject, unwrap, zeroOf } from "./zero.ts"

/** The apiVersion and kind of a decoded object. */
export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** Messages within messages; the deepest real thing is a CustomResourceDefinition's schema, at two per level. */
const maximumDepth = 256

/**
 * The object in a Kubernetes protobuf body. `expected` stands in where the envelope names no type, as clients may do when the URL says it.
 * Throws INVALID, naming the byte, the message and the field, whatever the bytes are.
 */
export function decodeProtobuf(bytes: Uint8Array, expected?: TypeMeta): unknown {
  return new Decoder(bytes, expected).run((decoder) => decoder.body())
}

/** The event in one frame of a protobuf watch stream, without the frame's length. Of objects of the kind `only`, nothing but what it names. */
export function decodeWatchEvent(bytes: Uint8Array, only?: PartialKind): { readonly type: string; readonly object: unknown } {
  return new Decoder(bytes, undefined, only).run((decoder) => decoder.watchEvent())
}

/** An item of a list, which has no envelope: of that kind, nothing but what it names. */
export function decodeItem(bytes: Uint8Array, only: PartialKind): unknown {
  return new Decoder(bytes, undefined, only).run((decoder) => decoder.bare(only.message, { apiVersion: only.apiVersion, kind: only.kind }))
}

/** A message that stands alone, as the metadata of a list does. */
export function decodeMessage(bytes: Uint8Array, message: Message): unknown {
  return new Decoder(bytes, undefined).run((decoder) => decoder.bare(message, {}))
}

/** One use per instance. Always true: `#objects`, `#fields` and `#messages` up to `#depth` are the way from the body to what is being read. */
class Decoder {
  readonly #reader: WireReader
  readonly #expected: TypeMeta | undefined
  readonly #only: PartialKind | undefined
  readonly #objects: JsonObject[] = []
  readonly #fields: (Field | undefined)[] = []
  readonly #messages: Message[] = []
  #depth = -1

  constructor(bytes: Uint8Array, expected: TypeMeta | undefined, only?: PartialKind) {
    this.#reader = new WireReader(bytes, only?.strings)
    this.#expected = expected
    this.#only = only
  }

  run<T>(read: (decoder: Decoder) => T): T {
    try {
      return read(this)
    } catch (thrown) {
      if (!(thrown instanceof WireFault)) throw thrown
      throw new PilothouseError("INVALID", `protobuf${this.#place()}, byte ${thrown.offset}: ${thrown.message}`)
    }
  }

  watchEvent(): { readonly type: string; readonly object: unknown } {
    const reader = this.#reader
    let type = ""
    let object: unknown = null
    while (reader.position < reader.end) {
      const tag = reader.tag()
      if (tag === ((1 << 3) | Wire.bytes)) type = reader.string()
      else if (tag === ((2 << 3) | Wire.bytes)) object = this.#rawExtension()
      else reader.skip(tag, 2)
    }
    return { type, object }
  }

  /** Nothing around it. */
  bare(message: Message, object: JsonObject): unknown {
    return this.#read(message, object)
  }

  /** An envelope and its object, from `position` to `end`. */
  body(): unknown {
    const reader = this.#reader
    const { apiVersion: givenVersion, kind: givenKind, start, end } = readEnvelope(reader)
    const apiVersion = givenVersion === "" ? (this.#expected?.apiVersion ?? "") : givenVersion
    const kind = givenKind === "" ? (this.#expected?.kind ?? "") : givenKind
    const message = this.#messageFor(apiVersion, kind)
    if (message === undefined) throw new WireFault(0, `the kind "${kind}" of "${apiVersion}" has no protobuf form here; send it as JSON`)
    const outer = reader.end
    reader.position = start
    reader.end = end
    const object = this.#read(message, { apiVersion, kind })
    reader.leave(outer)
    return object
  }

  #messageFor(apiVersion: string, kind: string): Message | undefined {
    const only = this.#only
    return only?.kind === kind && only.apiVersion === apiVersion ? only.message : kindMessage(apiVersion, kind)
  }

  /** The fields of `message` from `position` to `end` into `object`. */
  #read(message: Message, object: JsonObject): unknown {
    const depth = ++this.#depth
    const reader = this.#reader
    const { byNumber } = message
    if (depth > maximumDepth) throw new WireFault(reader.position, `messages are nested at most ${maximumDepth} deep`)
    this.#objects[depth] = object
    this.#messages[depth] = message
    let always = 0
    let last = 0
    while (reader.position < reader.end) {
      this.#fields[depth] = undefined
      const tag = reader.tag()
      const number = tag >>> 3
      const field = number < byNumber.length ? byNumber[number] : undefined
      if (field === undefined) {
        reader.skip(tag)
        continue
      }
      this.#fields[depth] = field
      if (field.shape === Shape.list) this.#list(field, object, tag & 7)
      else {
        if ((tag & 7) !== field.wire) throw wrongWire(reader, field, tag & 7)
        if (field.shape === Shape.map) this.#entry(field, object)
        else {
          const again = number <= last
          if (field.shape === Shape.inline) this.#message(messageOf(field), object)
          else this.#single(field, object, again)
          if (!again && (field.always || field.shape === Shape.inline)) always++
          if (!again) last = number
        }
      }
    }
    if (always < message.alwaysSingles.length) fillSingles(message, object)
    fillCollections(message, object)
    this.#depth = depth - 1
    return message.isUnion ? unwrap(message, object) : object
  }

  #single(field: Field, object: JsonObject, again: boolean): void {
    if (field.type === Type.string) {
      const text = this.#reader.string()
      if (text !== "" || field.keepsZero) object[field.name] = text
      else if (again) delete object[field.name]
      return
    }
    // A message that comes twice is merged, as protobuf asks; no encoder of Kubernetes writes one twice.
    if (again && field.type === Type.message && !messageOf(field).isUnion && object[field.name] !== undefined) {
      this.#message(messageOf(field), object[field.name] as JsonObject)
      return
    }
    const value = this.#value(field)
    if (value !== null && (field.keepsZero || !isZero(value))) object[field.name] = value
    else if (again) delete object[field.name]
  }

  #list(field: Field, object: JsonObject, wire: number): void {
    const list = object[field.name] as unknown[] | undefined
    if (wire === field.wire) {
      const value = this.#value(field)
      // Not pushed into an empty one, which gets room for seventeen: most lists have one item.
      if (list === undefined) object[field.name] = [value]
      else list.push(value)
    } else if (wire === Wire.bytes && field.wire !== Wire.bytes) this.#packed(field, (object[field.name] ??= []) as unknown[])
    else throw wrongWire(this.#reader, field, wire)
  }

  /** Numbers one after another without tags: Go's encoder does not write them so, and reads them. */
  #packed(field: Field, list: unknown[]): void {
    const outer = this.#reader.enter()
    while (this.#reader.position < this.#reader.end) list.push(this.#value(field))
    this.#reader.leave(outer)
  }

  /** {1: key, 2: value}; either may be missing and is then zero. */
  #entry(field: Field, object: JsonObject): void {
    const reader = this.#reader
    const map = (object[field.name] ??= {}) as JsonObject
    const outer = reader.enter()
    let key = ""
    let value: unknown
    while (reader.position < reader.end) {
      const tag = reader.tag()
      const number = tag >>> 3
      if (number === 1 && (tag & 7) === Wire.bytes) key = reader.string()
      else if (number === 2 && (tag & 7) === field.wire) value = this.#value(field)
      else reader.skip(tag, 2)
    }
    reader.leave(outer)
    if (value === undefined) value = zeroOf(field)
    if (key === "__proto__") Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
    else map[key] = value
  }

  #value(field: Field): unknown {
    const reader = this.#reader
    switch (field.type) {
      case Type.string:
        return reader.string()
      case Type.message:
        return this.#message(messageOf(field), {})
      case Type.int32:
        return reader.int32()
      case Type.int64:
        return reader.int64()
      case Type.bool:
        return reader.bool()
      case Type.time:
        return readTime(reader)
      case Type.quantity:
        return readQuantity(reader)
      default:
        return this.#rareValue(field)
    }
  }

  #rareValue(field: Field): unknown {
    const reader = this.#reader
    switch (field.type) {
      case Type.bytes:
        return toBase64(reader.view())
      case Type.double:
        return exactNumber(reader.double())
      case Type.microTime:
        return readMicroTime(reader)
      case Type.duration:
        return readDuration(reader)
      case Type.intOrString:
        return readIntOrString(reader)
      case Type.json:
        return this.#json()
      case Type.raw:
        return this.#rawExtension()
      default:
        return readStrings(reader)
    }
  }

  #message(message: Message, object: JsonObject): unknown {
    const outer = this.#reader.enter()
    const value = this.#read(message, object)
    this.#reader.leave(outer)
    return value
  }

  #json(): unknown {
    const { start, end } = readRaw(this.#reader)
    return parseJson(this.#reader, start, end)
  }

  /** JSON text, or a whole protobuf body again (in watch events and in lists of anything). */
  #rawExtension(): unknown {
    const reader = this.#reader
    const { start, end } = readRaw(reader)
    if (!isMagic(reader.bytes, start, end)) return parseJson(reader, start, end)
    const after = reader.position
    const outer = reader.end
    reader.position = start
    reader.end = end
    const object = this.body()
    reader.end = outer
    reader.position = after
    return object
  }

  /** " v1 Pod, core/v1.Container at spec.containers[1].env" */
  #place(): string {
    const first = this.#objects[0]
    if (first === undefined || this.#depth < 0) return ""
    const depth = Math.min(this.#depth, this.#messages.length - 1)
    let path = ""
    for (let level = 0; level <= depth; level++) path += this.#step(level)
    const where = path === "" ? "" : ` at ${path.slice(1)}`
    return ` ${String(first["apiVersion"])} ${String(first["kind"])}, ${this.#messages[depth]?.name}${where}`
  }

  #step(level: number): string {
    const field = this.#fields[level]
    if (field === undefined || field.shape === Shape.inline) return ""
    if (field.shape !== Shape.list) return `.${field.name}`
    // A list is there from its first item on.
    const list = this.#objects[level]?.[field.name] as readonly unknown[] | undefined
    return `.${field.name}[${list?.length ?? 0}]`
  }
}

function wrongWire(reader: WireReader, field: Field, wire: number): WireFault {
  return new WireFault(reader.position, `${field.name} has wire type ${field.wire}, not ${wire}`)
}

function isZero(value: unknown): boolean {
  return value === 0 || value === false || value === "" || (Array.isArray(value) && value.length === 0)
}
