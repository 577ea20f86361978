import type { KubeObject } from "@pilothouse/api"
import { type BodyReader, type Frame, PilothouseError, type TransportResponse } from "@pilothouse/seams"
import { type EventReading, EventStream } from "./event-stream.ts"
import type { WatchEvent } from "./watch-stream.ts"

const lengthBytes = 4

/**
 * An encoding of objects other than JSON: protobuf, from @pilothouse/api/protobuf. Passed in, so that only programs that use it
 * load it.
 */
export interface WireForm {
  /** Without parameters. */
  readonly contentType: string
  /** Maximum bytes of an event. A larger length means another encoding. */
  readonly maximumFrame: number
  /** Decodes the complete frames in a chunk of a watch. A frame is four bytes of length, most significant first, and an event. */
  events(chunk: Uint8Array): { readonly events: readonly { readonly type: string; readonly object: unknown }[]; readonly rest: Uint8Array }
  /** Decodes a whole body, such as a Status. */
  value(bytes: Uint8Array): unknown
  /** Decodes a list incrementally; `each` is called with every item, in order. */
  list(each: (item: unknown) => void): FormList
}

/** A list in that encoding. */
export interface FormList extends BodyReader {
  /** Returns the list as JSON would have it, without the items, which have all been emitted. Throws for invalid bytes. */
  list(): object
}

/** A server without the encoding answers in JSON: the content type of the response decides. */
export function acceptWatch({ contentType }: WireForm): { readonly accept: string } {
  return { accept: `${contentType};stream=watch,${contentType},application/json` }
}

/** Returns the Accept header that prefers a wire form and takes JSON from servers without it. */
export function acceptList({ contentType }: WireForm): { readonly accept: string } {
  return { accept: `${contentType},application/json` }
}

/** Returns undefined where the response is not in that encoding. */
export function eventsInForm<T extends KubeObject>(
  { body, headers }: TransportResponse,
  form: WireForm | undefined,
): AsyncIterable<WatchEvent<T>> | undefined {
  if (form === undefined || body.type !== "stream" || !headers["content-type"]?.startsWith(form.contentType)) return undefined
  return new EventStream(body.frames, new FramedReading<T>(form))
}

/** Returns the response with a decoded body. */
export function withPlainBody(response: TransportResponse, form: WireForm | undefined): TransportResponse {
  const { body } = response
  if (form === undefined || body.type !== "bytes" || !body.contentType.startsWith(form.contentType)) return response
  return { ...response, body: { type: "value", value: form.value(body.bytes) } }
}

/** Decodes events of a watch from arbitrary chunks. */
class FramedReading<T extends KubeObject> implements EventReading<T, WatchEvent<T>> {
  readonly #form: WireForm
  readonly #collector: FrameCollector

  constructor(form: WireForm) {
    this.#form = form
    this.#collector = new FrameCollector(form.maximumFrame)
  }

  split(frame: Frame): readonly WatchEvent<T>[] {
    const bytes = frame.type === "bytes" ? this.#collector.push(frame.bytes) : undefined
    if (bytes === undefined) return []
    const { events, rest } = this.#eventsIn(bytes)
    this.#collector.keep(rest)
    return events as readonly WatchEvent<T>[]
  }

  event(event: WatchEvent<T>): WatchEvent<T> {
    return event
  }

  #eventsIn(bytes: Uint8Array): ReturnType<WireForm["events"]> {
    try {
      return this.#form.events(bytes)
    } catch (cause) {
      throw new PilothouseError("PROTOCOL", `expected watch events in ${this.#form.contentType}, found other bytes`, { cause })
    }
  }
}

/**
 * Collects chunks until they contain a complete frame: an object in many chunks is concatenated once.
 *
 * Invariant: #chunks together are less than one frame, and #length is known as soon as its bytes are received.
 */
class FrameCollector {
  readonly #maximum: number
  #chunks: Uint8Array[] = []
  #size = 0
  /** Length of the first frame, without the length field. */
  #length: number | undefined

  constructor(maximum: number) {
    this.#maximum = maximum
  }

  /** Returns bytes that begin with a complete frame; undefined while there is none. */
  push(chunk: Uint8Array): Uint8Array | undefined {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    this.#length ??= this.#firstLength()
    if (this.#length === undefined || this.#size < lengthBytes + this.#length) return undefined
    return this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
  }

  /** Stores the rest of the returned bytes. */
  keep(rest: Uint8Array): void {
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#size = rest.length
    this.#length = this.#firstLength()
  }

  #firstLength(): number | undefined {
    if (this.#size < lengthBytes) return undefined
    const [first] = this.#chunks
    const head = first !== undefined && first.length >= lengthBytes ? first : Buffer.concat(this.#chunks)
    const length = new DataView(head.buffer, head.byteOffset).getUint32(0)
    if (length > this.#maximum)
      throw new PilothouseError("PROTOCOL", `expected a watch frame of at most ${this.#maximum} bytes, found one of ${length}`)
    return length
  }
}
