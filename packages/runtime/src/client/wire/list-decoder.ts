import { isAscii } from "node:buffer"
import type { BodyReader } from "@pilothouse/seams"
import { parsed, parseWithoutManagedFields } from "./skip-managed-fields.ts"

const beforeItems = '"items":['
const afterItems = "]}"
/** Everything before the items is type and metadata: a longer head is not a list. */
const maxHead = 65_536
/** Bytes of a long body that are processed at once: as much as a socket delivers. */
const sliceLength = 65_536
/** The separator of items may occur inside an item. After so many failed tries, parsing all at once is cheaper. */
const maxTries = 16
/** Bytes: far above the size limit of etcd. Where no item ends in so many, none will. */
const maxItem = 16 * 1024 * 1024
const colon = 0x3a

export interface ListDecoderOptions {
  /** Skips managedFields of the items. */
  readonly skipManagedFields?: boolean
  /** Called with each item, in order. */
  each(item: unknown): void
}

/**
 * Decodes a list item by item as its bytes arrive, so that the dropped parts of an item (managedFields, interned strings) are garbage collected
 * young, and the whole is never in memory: neither as bytes, nor as text, nor as objects.
 *
 * Go writes all items of a list with the same first field, so the next one begins at "},{" and that field. That may also occur inside
 * an item; but a prefix of a JSON object is never a complete one, so a piece that can be parsed is an item, and one that cannot is extended.
 * Where this fails, the remaining bytes are collected and parsed at once at the end.
 *
 * Invariant: the bytes in the window are not emitted yet; an item there ends after #searched. While items are emitted, they are ASCII from
 * #plainFrom on.
 */
export class ListDecoder implements BodyReader {
  readonly #options: ListDecoderOptions
  readonly #window = new ByteWindow(2 * sliceLength)
  /** "rest": nothing more is emitted before the end. */
  #reading: "head" | "items" | "rest" = "head"
  #head: object | undefined
  /** The separator of two items. */
  #between: Buffer | undefined
  #searched = 0
  /** The window is ASCII from here on. */
  #plainFrom = 0
  #tries = 0
  #failure: { readonly error: unknown } | undefined

  constructor(options: ListDecoderOptions) {
    this.#options = options
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at += sliceLength) {
      const slice = chunk.subarray(at, at + sliceLength)
      this.#window.push(slice)
      if (this.#reading === "rest") continue
      if (!isAscii(slice)) this.#plainFrom = this.#window.length
      if (this.#reading === "head") this.#readHead()
      if (this.#reading === "items") this.#readItems()
    }
  }

  end(): this {
    return this
  }

  /** The bytes that were not decoded. */
  get rest(): Uint8Array {
    return this.#window.bytes
  }

  /**
   * Returns the list without its items, which have all been emitted. "other": it is not in Go's format, and `rest` is
   * all of it. "broken": it began as a list, and `rest` is not JSON. Throws what `each` has thrown.
   */
  list(): object | "other" | "broken" {
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.#head === undefined) return "other"
    const end = parsed(`{${beforeItems}${this.#window.bytes.toString()}`) as { readonly items: readonly unknown[] } | undefined
    if (end === undefined) return "broken"
    for (const item of end.items) this.#options.each(item)
    return { ...this.#head, ...end, items: [] }
  }

  #readHead(): void {
    const { bytes } = this.#window
    const at = bytes.indexOf(beforeItems)
    if (at < 0 && bytes.length <= maxHead) return
    const from = at + beforeItems.length
    this.#head = at < 0 ? undefined : (parsed(bytes.toString("utf8", 0, from) + afterItems) as object | undefined)
    this.#reading = this.#head === undefined ? "rest" : "items"
    if (this.#head !== undefined) this.#use(from)
  }

  #readItems(): void {
    const { bytes } = this.#window
    this.#between ??= betweenItems(bytes)
    let from = 0
    if (this.#between !== undefined) {
      const items = { bytes, between: this.#between }
      for (let end = this.#endOfItem(items, from); end > 0; end = this.#endOfItem(items, from)) from = end + 1
    }
    this.#use(from)
    if (this.#window.length > maxItem) this.#reading = "rest"
  }

  #use(length: number): void {
    this.#window.use(length)
    this.#searched = Math.max(0, this.#searched - length)
    this.#plainFrom -= length
  }

  /** Emits the item that begins here and returns its end; -1 where it is not complete yet. */
  #endOfItem({ bytes, between }: Items, from: number): number {
    // Most lists are ASCII only, which needs no decoding.
    const encoding = from >= this.#plainFrom ? "latin1" : "utf8"
    while (this.#tries < maxTries) {
      const at = bytes.indexOf(between, this.#searched)
      if (at < 0) {
        this.#searched = Math.max(from, bytes.length - between.length + 1)
        return -1
      }
      const end = at + 1
      this.#searched = end + 1
      if (this.#emit(bytes.toString(encoding, from, end))) return end
      this.#tries++
    }
    this.#reading = "rest"
    return -1
  }

  /** Returns false where the text is not an item. An exception of `each` is kept for list(): the transport must not see it. */
  #emit(text: string): boolean {
    const item = this.#options.skipManagedFields ? parseWithoutManagedFields(text, identity) : parsed(text)
    if (item === undefined) return false
    this.#tries = 0
    try {
      if (this.#failure === undefined) this.#options.each(item)
    } catch (error) {
      this.#failure = { error }
    }
    return true
  }
}

interface Items {
  readonly bytes: Buffer
  readonly between: Buffer
}

/** Returns the separator as soon as the first field of the first item is received. */
function betweenItems(bytes: Buffer): Buffer | undefined {
  const field = bytes.indexOf(colon)
  return field < 0 ? undefined : Buffer.concat([Buffer.from("},"), bytes.subarray(0, field + 1)])
}

function identity(item: unknown): object {
  return item as object
}

/**
 * Unconsumed bytes of several chunks in one piece, for a reader that needs more than one chunk.
 * Consumed bytes make room for new ones; the capacity is at most twice the maximum that waited at once.
 *
 * Invariant: 0 <= from <= to <= bytes.length, and the unconsumed bytes are between the two.
 */
class ByteWindow {
  #bytes: Buffer
  #from = 0
  #to = 0

  constructor(room: number) {
    this.#bytes = Buffer.allocUnsafeSlow(room)
  }

  /** The unconsumed bytes, valid until the next push. */
  get bytes(): Buffer {
    return this.#bytes.subarray(this.#from, this.#to)
  }

  /** Number of unconsumed bytes. */
  get length(): number {
    return this.#to - this.#from
  }

  push(chunk: Uint8Array): void {
    if (this.#to + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length)
    this.#bytes.set(chunk, this.#to)
    this.#to += chunk.length
  }

  /** Consumes bytes. */
  use(length: number): void {
    this.#from += length
  }

  #makeRoom(length: number): void {
    const { bytes } = this
    const needed = bytes.length + length
    const room = needed > this.#bytes.length ? Buffer.allocUnsafeSlow(2 * needed) : this.#bytes
    room.set(bytes)
    this.#bytes = room
    this.#from = 0
    this.#to = bytes.length
  }
}
