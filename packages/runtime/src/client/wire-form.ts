import type { KubeObject } from "@pilothouse/api"
import { type Frame, PilothouseError, type TransportResponse } from "@pilothouse/seams"
import { FrameCollector } from "./frame-collector.ts"
import type { WatchEvent } from "./watch-stream.ts"

/**
 * How objects come over the wire where it is not JSON: protobuf, of which @pilothouse/api/protobuf makes one. Passed in, so that only who uses one
 * loads it.
 */
export interface WireForm {
  /** Without parameters. */
  readonly contentType: string
  /** Bytes of an event. Who announces more has said something else. */
  readonly maximumFrame: number
  /** The events of the whole frames in a chunk of a watch. A frame is four bytes of length, most significant first, and an event. */
  events(chunk: Uint8Array): { readonly events: readonly { readonly type: string; readonly object: unknown }[]; readonly rest: Uint8Array }
  /** A whole body: why a watch was refused. */
  value(bytes: Uint8Array): unknown
}

/** A server that does not have it answers in JSON: what came is told by its content type. */
export function acceptOf({ contentType }: WireForm): { readonly accept: string } {
  return { accept: `${contentType};stream=watch,${contentType},application/json` }
}

/** Undefined where the answer is not in that form. */
export function eventsInForm<T extends KubeObject>(
  { body, headers }: TransportResponse,
  form: WireForm | undefined,
): AsyncIterable<WatchEvent<T>> | undefined {
  if (form === undefined || body.type !== "stream" || !headers["content-type"]?.startsWith(form.contentType)) return undefined
  return new FramedEvents(body.frames, form)
}

/** The answer as it would have come in JSON. */
export function withPlainBody(response: TransportResponse, form: WireForm | undefined): TransportResponse {
  const { body } = response
  if (form === undefined || body.type !== "bytes" || !body.contentType.startsWith(form.contentType)) return response
  return { ...response, body: { type: "value", value: form.value(body.bytes) } }
}

/**
 * The events of a watch in chunks cut anywhere. An iterator by hand: what has come already can be taken without waiting for a promise, of which a list
 * of ten thousand would need as many.
 */
class FramedEvents<T extends KubeObject> implements AsyncIterableIterator<WatchEvent<T>> {
  readonly #frames: AsyncIterator<Frame>
  readonly #form: WireForm
  readonly #collector: FrameCollector
  #events: readonly WatchEvent<T>[] = []
  #next = 0
  #ended = false

  constructor(frames: AsyncIterable<Frame>, form: WireForm) {
    this.#frames = frames[Symbol.asyncIterator]()
    this.#form = form
    this.#collector = new FrameCollector(form.maximumFrame)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** One that has come already. */
  buffered(): WatchEvent<T> | undefined {
    return this.#next < this.#events.length ? this.#events[this.#next++] : undefined
  }

  async next(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    for (let event = this.buffered(); !this.#ended; event = this.buffered()) {
      if (event !== undefined) return { done: false, value: event }
      await this.#receive()
    }
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    const isOver = this.#ended
    this.#ended = true
    this.#events = []
    if (!isOver) await this.#frames.return?.()
    return { done: true, value: undefined }
  }

  async #receive(): Promise<void> {
    try {
      const { done, value } = await this.#frames.next()
      // A rest is an event cut in the middle: the connection broke, and the next watch brings it whole.
      if (done) this.#ended = true
      else if (value.type === "bytes") this.#read(value.bytes)
    } catch (error) {
      // A loop does not end what has thrown: nobody else would close the connection.
      await this.return().catch(() => undefined)
      throw error
    }
  }

  #read(chunk: Uint8Array): void {
    const bytes = this.#collector.push(chunk)
    if (bytes === undefined) return
    const { events, rest } = this.#eventsIn(bytes)
    this.#collector.keep(rest)
    this.#events = events as readonly WatchEvent<T>[]
    this.#next = 0
  }

  #eventsIn(bytes: Uint8Array): ReturnType<WireForm["events"]> {
    try {
      return this.#form.events(bytes)
    } catch (cause) {
      throw new PilothouseError("PROTOCOL", `expected watch events in ${this.#form.contentType}, found bytes that are none`, { cause })
    }
  }
}
