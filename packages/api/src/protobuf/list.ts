// A list in protobuf is an envelope around {1: metadata, 2: an item, 2: the next item, …}.
import { PilothouseError } from "@pilothouse/seams"
import { decodeItem, decodeMessage } from "./decode.ts"
import { isProtobuf, magic } from "./envelope.ts"
import type { PartialKind } from "./partial.ts"
import { findType } from "./table.ts"
import { maximumFrame } from "./watch.ts"
import { Wire } from "./wire.ts"

const metadataTag = (1 << 3) | Wire.bytes
const itemTag = (2 << 3) | Wire.bytes
/** Of the envelope: where the list itself begins. */
const rawTag = (2 << 3) | Wire.bytes
const nothing = new Uint8Array()

/**
 * Delivers the items of a list while its bytes arrive, so that neither the bytes nor what is not kept of the items is ever all in memory.
 *
 * Always true between calls: #chunks are the bytes that were not read, #waiting of them, too few for what comes next, which takes #needed.
 */
export class ProtobufList {
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
