import type { KubeObject } from "@pilothouse/api"
import { type BodyReader, type Frame, PilothouseError, type TransportResponse } from "@pilothouse/seams"
import { type EventReading, EventStream } from "./event-stream.ts"
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
  /** A whole body: why something was refused. */
  value(bytes: Uint8Array): unknown
  /** Reads a list while it comes; `each` is told every item in its turn. */
  list(each: (item: unknown) => void): FormList
}

/** A list in that form. */
export interface FormList extends BodyReader {
  /** As it would have come in JSON, without the items, which have all been told. Throws where the bytes were none. */
  list(): object
}

/** A server that does not have it answers in JSON: what came is told by its content type. */
export function acceptWatch({ contentType }: WireForm): { readonly accept: string } {
  return { accept: `${contentType};stream=watch,${contentType},application/json` }
}

export function acceptList({ contentType }: WireForm): { readonly accept: string } {
  return { accept: `${contentType},application/json` }
}

/** Undefined where the answer is not in that form. */
export function eventsInForm<T extends KubeObject>(
  { body, headers }: TransportResponse,
  form: WireForm | undefined,
): AsyncIterable<WatchEvent<T>> | undefined {
  if (form === undefined || body.type !== "stream" || !headers["content-type"]?.startsWith(form.contentType)) return undefined
  return new EventStream(body.frames, new FramedReading<T>(form))
}

/** The answer as it would have come in JSON. */
export function withPlainBody(response: TransportResponse, form: WireForm | undefined): TransportResponse {
  const { body } = response
  if (form === undefined || body.type !== "bytes" || !body.contentType.startsWith(form.contentType)) return response
  return { ...response, body: { type: "value", value: form.value(body.bytes) } }
}

/** Of a watch in chunks cut anywhere: the whole events, as soon as they are. */
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
      throw new PilothouseError("PROTOCOL", `expected watch events in ${this.#form.contentType}, found bytes that are none`, { cause })
    }
  }
}
