import { isAscii } from "node:buffer"
import type { BodyReader } from "@pilothouse/seams"
import { ByteWindow } from "./byte-window.ts"
import { parsed, parseWithoutManagedFields } from "./skip-managed-fields.ts"

const beforeItems = '"items":['
const afterItems = "]}"
/** Everything before the items is type and metadata: longer than this, it is something else. */
const maxHead = 65_536
/** So much of a long body is looked at at once: as much as comes from a socket. */
const sliceLength = 65_536
/** A part that begins as the items do may stand inside an item, a few times. More often than this, parsing all at once is cheaper. */
const maxTries = 16
/** Bytes: far above what etcd holds of one object. Where no item ends in so many, none will. */
const maxItem = 16 * 1024 * 1024
const colon = 0x3a

export interface ListDecoderOptions {
  /** True: managedFields of the items need not be read. */
  readonly skipManagedFields?: boolean
  /** Told every item in its turn. */
  each(item: unknown): void
}

/**
 * Reads a list item after item as its bytes come, so that what is not kept of one (managedFields, strings that others have too) is let go
 * while it is young, and the whole is never in memory: neither as bytes, nor as text, nor as objects.
 *
 * Go writes all items of a list with the same first field, so the next one begins where "},{" and that field stand. That may also stand inside
 * an item; but the beginning of a JSON object is never a whole one, so a piece that can be parsed is an item, and one that cannot goes on.
 * Where this leads nowhere, what has not been told yet is collected, and parsed at once at the end.
 *
 * Always true between calls: what waits in the window was not told; an item there ends after #looked. While items are told, they are ASCII from
 * #plainFrom on.
 */
export class ListDecoder implements BodyReader {
  readonly #options: ListDecoderOptions
  readonly #window = new ByteWindow(2 * sliceLength)
  /** "rest": nothing more is told before the end. */
  #reading: "head" | "items" | "rest" = "head"
  #head: object | undefined
  /** What stands between two items. */
  #between: Buffer | undefined
  #searched = 0
  /** What waits from here on is nothing but ASCII. */
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

  /** The bytes that were not read. */
  get rest(): Uint8Array {
    return this.#window.bytes
  }

  /**
   * The list as it stands on the wire, without its items: they have all been told. "other": it is not written as Go writes it, and `rest` is
   * all of it. "broken": it began as one, and `rest` is no JSON. Throws what telling has thrown.
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

  /** Tells the item that begins here, and gives its end; -1 where there is none yet. */
  #endOfItem({ bytes, between }: Items, from: number): number {
    // Most lists have nothing but ASCII in them, and then there is nothing to decode.
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

  /** False where it is no item. What telling throws is for who asked for the list, and not for who brings its bytes. */
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

/** Known as soon as the first field of the first item is. */
function betweenItems(bytes: Buffer): Buffer | undefined {
  const field = bytes.indexOf(colon)
  return field < 0 ? undefined : Buffer.concat([Buffer.from("},"), bytes.subarray(0, field + 1)])
}

function identity(item: unknown): object {
  return item as object
}
