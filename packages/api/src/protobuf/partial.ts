import { PilothouseError } from "@pilothouse/seams"
import { decodeItem, decodeMessage, decodeProtobuf, decodeWatchEvent, type TypeMeta } from "./decode.ts"
import { isProtobuf, magic, protobufContentType } from "./envelope.ts"
import { RecentStrings } from "./recent-strings.ts"
import { type Field, findType, kindMessage, type Message, messageFrom, messageOf, Type } from "./table.ts"
import { Wire } from "./wire.ts"

// A protobuf watch stream is frames: four bytes of length, most significant first, and an event.

/** Far above what etcd holds (1.5 MB an object); a wrong length must not make us wait for gigabytes. */
const maximumFrame = 64 * 1024 * 1024

// A list in protobuf is an envelope around {1: metadata, 2: an item, 2: the next item, …}.

const metadataTag = (1 << 3) | Wire.bytes
const itemTag = (2 << 3) | Wire.bytes
/** Of the envelope: where the list itself begins. */
const rawTag = (2 << 3) | Wire.bytes
const nothing = new Uint8Array()

/** Some fields of a kind: the bytes of all others are passed over, which costs next to nothing. */
export interface PartialKind extends TypeMeta {
  readonly message: Message
  /** Objects of one kind have most of their texts in common. */
  readonly strings: RecentStrings
}

/** A way to read lists, watches and refusals of one kind: what the clients of @pilothouse/runtime take as a form. */
export interface PartialProtobuf {
  readonly contentType: string
  /** Bytes. */
  readonly maximumFrame: number
  events(chunk: Uint8Array): WatchFrames
  value(bytes: Uint8Array): unknown
  /** Reads a list while it comes; `each` receives every item in order. */
  list(each: (item: unknown) => void): ProtobufList
}

type Tree = Map<string, Tree | "whole">

/**
 * A kind of which only these fields are read: "metadata.name", "spec.containers.ports"; the last one of a path is read whole, a list is meant by its
 * items. A required field that is not named is missing, not zero. What is named whole stays whole, whatever else is named below it. Undefined for a
 * kind without protobuf.
 */
export function partialProtobuf({ apiVersion, kind }: TypeMeta, fields: readonly string[]): PartialProtobuf | undefined {
  const message = kindMessage(apiVersion, kind)
  if (message === undefined) return undefined
  const only: PartialKind = { apiVersion, kind, message: partOf(message, treeOf(fields)), strings: new RecentStrings() }
  return {
    contentType: protobufContentType,
    maximumFrame,
    events: (chunk) => decodeWatchFrames(chunk, only),
    value: (bytes) => decodeProtobuf(bytes),
    list: (each) => new ProtobufList(only, each),
  }
}

function treeOf(paths: readonly string[]): Tree {
  const root: Tree = new Map()
  for (const path of paths) add(root, path.split("."))
  return root
}

function add(tree: Tree, [step = "", ...below]: readonly string[]): void {
  const known = tree.get(step)
  if (known === "whole") return
  if (below.length === 0) {
    tree.set(step, "whole")
    return
  }
  const next: Tree = known ?? new Map()
  tree.set(step, next)
  add(next, below)
}

function partOf(message: Message, tree: Tree): Message {
  const fields = Array.from(tree, ([step, below]): Field => {
    const field = message.fields.find(({ name }) => name === step)
    if (field === undefined) throw new PilothouseError("INVALID", `expected a field of ${message.name}, found "${step}"; correct the path`)
    if (below === "whole") return field
    if (field.type === Type.message) return { ...field, message: partOf(messageOf(field), below) }
    throw new PilothouseError("INVALID", `expected ${message.name} ${step} to end a path, found "${[...below.keys()][0]}" below it`)
  })
  return messageFrom(message.name, message.isUnion, fields)
}

/**
 * Delivers the items of a list while its bytes arrive, so that neither the bytes nor what is not kept of the items is ever all in memory.
 *
 * Invariant: #chunks are the bytes that were not read, #waiting of them, too few for what comes next, which takes #needed.
 */
class ProtobufList {
  readonly #only: PartialKind
  readonly #each: (item: unknown) => void
  #chunks: Uint8Array[] = []
  #waiting = 0
  #needed: number = magic.length
  #reading: "magic" | "envelope" | "list" | "end" = "magic"
  /** Bytes of the list that were not read. */
  #left = 0
  #metadata: unknown = {}
  #failure: { readonly error: unknown } | undefined

  constructor(only: PartialKind, each: (item: unknown) => void) {
    this.#only = only
    this.#each = each
  }

  push(chunk: Uint8Array): void {
    if (this.#failure !== undefined || this.#reading === "end") return
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    if (this.#waiting < this.#needed) return
    try {
      this.#keep(this.#read(this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)))
    } catch (error) {
      this.#failure = { error }
    }
  }

  end(): this {
    return this
  }

  /** The list without its items, which have all been delivered. Throws INVALID for malformed bytes, and what the receiver has thrown. */
  list(): { readonly kind: string; readonly metadata: unknown; readonly items: readonly unknown[] } {
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.#reading !== "end") throw new PilothouseError("INVALID", `a list in protobuf ended early, in its ${this.#reading}`)
    return { kind: `${this.#only.kind}List`, metadata: this.#metadata, items: [] }
  }

  #keep(rest: Uint8Array): void {
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#waiting = rest.length
  }

  /** Reads what is complete, and returns what is not. */
  #read(bytes: Uint8Array): Uint8Array {
    let at = 0
    if (this.#reading === "magic") {
      if (!isProtobuf(bytes)) throw new PilothouseError("INVALID", 'a list in protobuf begins with the bytes 6b 38 73 00 ("k8s\\0")')
      this.#reading = "envelope"
      at = magic.length
    }
    while (this.#reading === "envelope" || this.#reading === "list") {
      const field = fieldAt(bytes, at)
      const used = field === undefined ? 0 : this.#take(bytes, field)
      this.#needed = field === undefined ? bytes.length - at + 1 : field.end - at
      if (used === 0) return bytes.subarray(at)
      at += used
    }
    return nothing
  }

  /** How many bytes it used; 0 where the field is not whole yet. */
  #take(bytes: Uint8Array, { tag, from, start, end }: WireField): number {
    if (this.#reading === "envelope" && tag === rawTag) {
      this.#reading = end === start ? "end" : "list"
      this.#left = end - start
      return start - from
    }
    if (end - start > maximumFrame)
      throw new PilothouseError("INVALID", `a field of a list in protobuf has at most ${maximumFrame} bytes, not ${end - start}`)
    if (end > bytes.length) return 0
    if (this.#reading === "list") this.#takeOfList(tag, bytes.subarray(start, end), end - from)
    return end - from
  }

  #takeOfList(tag: number, value: Uint8Array, length: number): void {
    this.#left -= length
    if (this.#left < 0) throw new PilothouseError("INVALID", "an item of a list in protobuf passes the end of the list")
    if (tag === itemTag) this.#each(decodeItem(value, this.#only))
    else if (tag === metadataTag) this.#metadata = decodeMessage(value, findType("meta/v1", "ListMeta")!)
    if (this.#left === 0) this.#reading = "end"
  }
}

/** A field that announces its length, as all of a list and its envelope do. */
interface WireField {
  readonly tag: number
  /** Where it begins, and its value does. */
  readonly from: number
  readonly start: number
  readonly end: number
}

/** Undefined where not even its length is there. */
function fieldAt(bytes: Uint8Array, from: number): WireField | undefined {
  const tag = varintAt(bytes, from)
  const length = tag && varintAt(bytes, tag.end)
  if (tag === undefined || length === undefined) return undefined
  if ((tag.value & 7) !== Wire.bytes) throw new PilothouseError("INVALID", `a list in protobuf has no fields of wire type ${tag.value & 7}`)
  return { tag: tag.value, from, start: length.end, end: length.end + length.value }
}

function varintAt(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let at = from, scale = 1; at < bytes.length && at < from + 8; at++, scale *= 128) {
    const byte = bytes[at] as number
    value += (byte & 127) * scale
    if (byte < 128) return { value, end: at + 1 }
  }
  return undefined
}

/** The events of the complete frames of a watch, and the rest. */
export interface WatchFrames {
  readonly events: readonly { readonly type: string; readonly object: unknown }[]
  /** The beginning of a frame that is not whole yet: put it before the next chunk. */
  readonly rest: Uint8Array
}

/** The events of the whole frames in a chunk of the stream. */
export function decodeWatchFrames(chunk: Uint8Array, only?: PartialKind): WatchFrames {
  const events: { readonly type: string; readonly object: unknown }[] = []
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  let start = 0
  while (chunk.length - start >= 4) {
    const length = view.getUint32(start)
    if (length > maximumFrame)
      throw new PilothouseError("INVALID", `byte ${start}: a watch frame has at most ${maximumFrame} bytes, not ${length}`)
    const end = start + 4 + length
    if (end > chunk.length) break
    events.push(decodeWatchEvent(chunk.subarray(start + 4, end), only))
    start = end
  }
  return { events, rest: chunk.subarray(start) }
}
