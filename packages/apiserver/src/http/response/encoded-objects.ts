import { Buffer } from "node:buffer"
import { apiVersionOf } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"
import { type Clock, stringifyJson } from "@pilothouse/seams"
import { GoNulls } from "../../body/go-nulls.ts"
import { withManagedFields } from "../../managedfields/object-managed-fields.ts"
import { mapInSlices, Turns } from "../../request/turns.ts"

/** Of cached bytes, per generation: there are two, so about twice this is held at most. */
const generationLimit = 32 * 1024 * 1024
/** Milliseconds after which a generation has been young for long enough. */
const generationTime = 60_000

/**
 * The JSON of frozen objects, encoded once for all clients: a thousand watchers are sent the same bytes.
 *
 * Invariant: what is cached belongs to a frozen object, and the bytes of each generation stay under its limit
 * but for the last object added. When the young generation is full, or a minute old when something is added, it becomes the old one,
 * and what was not read since is dropped.
 */
export class EncodedObjects {
  readonly #clock: Pick<Clock, "elapsed" | "external">
  readonly #turns: Turns
  #young = new WeakMap<object, Buffer>()
  #old = new WeakMap<object, Buffer>()
  /** Answers that one client has had. */
  #asked = new WeakSet<object>()
  #youngBytes = 0
  #since: number
  readonly #nulls = new GoNulls()

  constructor(clock: Pick<Clock, "elapsed" | "external">) {
    this.#clock = clock
    this.#turns = new Turns(clock)
    this.#since = clock.elapsed()
  }

  /** The JSON of a whole body. A list is put together from the JSON of its items, in slices. */
  body(value: unknown): Buffer | Promise<Buffer> {
    if (isList(value)) return this.#list(value)
    return isTable(value) ? this.#table(value) : this.#answer(value)
  }

  /** What the JSON of a whole body says, for other forms of it. */
  value(body: unknown): BodyValue {
    if (!isList(body)) return { whole: this.#wireForm(body), rest: {} }
    const typed = isTypedList(body) ? body : undefined
    const itemOf = (item: unknown) => (typed === undefined ? this.#wireForm(item) : withoutKind(this.#wireForm(item), typed))
    const { items, ...rest } = body
    return { rest, items: (write) => mapInSlices(items, this.#turns.begin(), (item) => write(itemOf(item))) }
  }

  /** A watch event as one line. */
  line(event: unknown): Buffer {
    if (!isWatchEvent(event)) return Buffer.concat([this.#object(event), newline])
    return Buffer.concat([Buffer.from(`{"type":${JSON.stringify(event.type)},"object":`), this.#object(event.object), endOfLine])
  }

  async #list(list: List): Promise<Buffer> {
    const { items, ...rest } = list
    const typed = isTypedList(list) ? { list, kind: kindPrefix(list) } : undefined
    return this.#joined(rest, "items", items, (item, parts) => {
      if (typed !== undefined && isOf(item, typed.list)) this.#item(item, typed, parts)
      else parts.push(this.#object(item))
    })
  }

  /** Rows are made for one answer: nothing of them is kept. */
  async #table({ rows, ...rest }: TableLike): Promise<Buffer> {
    return this.#joined(rest, "rows", rows, (row, parts) => void parts.push(this.#encode(row)))
  }

  /** An object whose last field is a list, which is written in slices. */
  async #joined<Item>(rest: object, field: string, items: readonly Item[], write: (item: Item, parts: Buffer[]) => void): Promise<Buffer> {
    const head = stringifyJson(rest)
    const parts: Buffer[] = [Buffer.from(`${head.slice(0, -1)}${head === "{}" ? "" : ","}"${field}":[`)]
    await mapInSlices(items, this.#turns.begin(), (item, index) => {
      if (index > 0) parts.push(comma)
      write(item, parts)
    })
    parts.push(endOfList)
    return Buffer.concat(parts)
  }

  /** Of the shared bytes, those behind the kind; the bytes of objects that this server has decoded begin with it. */
  #item(item: object, { list, kind }: { readonly list: TypedList; readonly kind: Buffer }, parts: Buffer[]): void {
    const bytes = this.#object(item)
    if (bytes.subarray(0, kind.length).equals(kind)) parts.push(openBrace, bytes.subarray(kind.length))
    else parts.push(Buffer.from(stringifyJson(withoutKind(this.#wireForm(item), list))))
  }

  /** A new object is often read by its creator alone: bytes are kept from the second read on. Ten thousand pods were 77 MB of them. */
  #answer(value: unknown): Buffer {
    if (typeof value !== "object" || value === null || this.#asked.has(value)) return this.#object(value)
    if (this.#young.has(value) || this.#old.has(value)) return this.#object(value)
    this.#asked.add(value)
    return this.#encode(value)
  }

  #object(value: unknown): Buffer {
    if (typeof value !== "object" || value === null) return Buffer.from(stringifyJson(value) ?? "")
    if (!Object.isFrozen(value)) return this.#encode(value)
    const known = this.#young.get(value)
    if (known) return known
    const bytes = this.#old.get(value) ?? this.#encode(value)
    this.#keep(value, bytes)
    return bytes
  }

  /** The form of the wire: with managedFields, and with the nulls that Go writes. */
  #wireForm(value: unknown): unknown {
    return this.#nulls.of(withManagedFields(value))
  }

  #encode(value: object): Buffer {
    return Buffer.from(stringifyJson(this.#wireForm(value)))
  }

  #keep(value: object, bytes: Buffer): void {
    const now = this.#clock.elapsed()
    if (this.#youngBytes > generationLimit || now - this.#since > generationTime) {
      this.#old = this.#young
      this.#young = new WeakMap()
      this.#asked = new WeakSet()
      this.#youngBytes = 0
      this.#since = now
    }
    this.#young.set(value, bytes)
    this.#youngBytes += bytes.length
  }
}

/** What the JSON of an item of a list begins with. */
function kindPrefix({ kind, apiVersion }: TypedList): Buffer {
  return Buffer.from(`{"kind":${JSON.stringify(kind.slice(0, -"List".length))},"apiVersion":${JSON.stringify(apiVersion)},`)
}

/** A body that is written as a whole, or a list of which each item is written by itself. */
export interface BodyValue {
  readonly whole?: unknown
  /** The fields of a list beside its items. */
  readonly rest: object
  /** What is written for each item, in slices. */
  readonly items?: (write: (item: unknown) => string) => Promise<readonly string[]>
}

interface List {
  readonly items: readonly unknown[]
}

interface TableLike {
  readonly rows: readonly object[]
}

const newline = Buffer.from("\n")
const endOfLine = Buffer.from("}\n")
const comma = Buffer.from(",")
const openBrace = Buffer.from("{")
const endOfList = Buffer.from("]}")

/** Not any other list that itself is frozen: that one is cached as a whole. */
function isList(value: unknown): value is List {
  return (
    typeof value === "object" &&
    value !== null &&
    "items" in value &&
    Array.isArray(value.items) &&
    (isTypedList(value) || !Object.isFrozen(value))
  )
}

function isTable(value: unknown): value is TableLike {
  return (
    typeof value === "object" && value !== null && "rows" in value && Array.isArray(value.rows) && "kind" in value && value.kind === "Table"
  )
}

function isWatchEvent(value: unknown): value is { type: unknown; object: unknown } {
  return typeof value === "object" && value !== null && "type" in value && "object" in value
}

/** A list of objects of one kind, which its own kind names. */
interface TypedList {
  readonly kind: string
  readonly apiVersion: string
  readonly items: readonly unknown[]
}

const builtInVersions: ReadonlySet<string> = new Set(allDescriptors.map(apiVersionOf))

/** On the wire the items of a list of built-in kinds say nothing of their kind: the list does. Lists of metadata and of custom resources are of another making. */
function isTypedList(value: object): value is TypedList {
  const { kind, apiVersion, items } = value as Partial<TypedList>
  return (
    Array.isArray(items) &&
    typeof kind === "string" &&
    kind.endsWith("List") &&
    typeof apiVersion === "string" &&
    builtInVersions.has(apiVersion)
  )
}

/** An item without what the list says already; anything else as it is. */
function withoutKind(item: unknown, list: TypedList): unknown {
  if (!isOf(item, list)) return item
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = item
  return rest
}

function isOf(item: unknown, list: TypedList): item is { readonly kind: string; readonly apiVersion: string } {
  const { kind, apiVersion } = (item ?? {}) as { kind?: unknown; apiVersion?: unknown }
  return apiVersion === list.apiVersion && `${String(kind)}List` === list.kind
}
