import type { KubeObject, Status } from "@pilothouse/api"
import { type Frame, PilothouseError } from "@pilothouse/seams"
import { EventStream } from "./event-stream.ts"
import type { WatchOptions } from "./options.ts"
import { decoded, ManagedFieldsSkipper, parsed } from "./skip-managed-fields.ts"

/** One line of a watch. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status }

export interface WatchReading<T extends KubeObject> extends Pick<WatchOptions, "skipManagedFields"> {
  /** Transforms each event. */
  readonly each?: (event: WatchEvent<T>) => WatchEvent<T>
}

/** Returns the events of a watch, from values (in process) or from lines of JSON in arbitrary chunks (over the wire). */
export function watchEvents<T extends KubeObject>(
  frames: AsyncIterable<Frame>,
  { each, skipManagedFields }: WatchReading<T> = {},
): AsyncIterable<WatchEvent<T>> {
  const lines = new LineSplitter()
  const skipper = skipManagedFields ? new ManagedFieldsSkipper() : undefined
  const read = (item: unknown) => (Buffer.isBuffer(item) ? parseEvent<T>(item, skipper) : (item as WatchEvent<T>))
  return new EventStream<T, unknown>(frames, {
    split: (frame) => (frame.type === "value" ? [frame.value] : lines.push(frame.bytes)),
    event: each === undefined ? read : (item) => each(read(item)),
  })
}

/** Each line separately: parsing parts of one long string takes a tenth longer (measured), and one character beyond Latin-1 doubles all of it. */
function parseEvent<T extends KubeObject>(line: Buffer, skipper: ManagedFieldsSkipper | undefined): WatchEvent<T> {
  const event = skipper === undefined ? parsed(decoded(line)) : skipper.parse(line, eventObject)
  if (event !== undefined) return event as WatchEvent<T>
  throw new PilothouseError("PROTOCOL", `expected a watch event as one line of JSON, found ${JSON.stringify(decoded(line).slice(0, 80))}`)
}

function eventObject(event: unknown): WatchEvent["object"] | undefined {
  return (event as WatchEvent | null)?.object
}

const newline = 0x0a

/** Bytes of one event; an API server stores no object of that size. */
const maxLine = 16 * 1024 * 1024

/**
 * Splits at \n only: U+2028 and U+2029 are data inside a JSON string, and node:readline would cut there.
 * Works on bytes, so a character in two chunks is complete before it is decoded. Only a line that crosses chunks is
 * concatenated, once, however many chunks it is in.
 * Invariant: the rest holds no newline, and not more than the longest line.
 */
export class LineSplitter {
  #rest: Uint8Array[] = []
  #restLength = 0

  /** Returns the complete lines, not decoded. They are views of the chunk and must be read before it is reused. */
  push(chunk: Uint8Array): readonly Buffer[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const first = bytes.indexOf(newline)
    if (first < 0) {
      this.#restLength += bytes.length
      if (this.#restLength > maxLine)
        throw new PilothouseError("PROTOCOL", `expected a watch event of at most ${maxLine} bytes, found a line that goes on after them`)
      this.#rest.push(bytes)
      return []
    }
    const crossing = this.#rest.length === 0 ? bytes.subarray(0, first) : Buffer.concat([...this.#rest, bytes.subarray(0, first)])
    const lines = crossing.length === 0 ? [] : [crossing]
    let from = first + 1
    for (let to = bytes.indexOf(newline, from); to >= 0; to = bytes.indexOf(newline, from)) {
      if (to > from) lines.push(bytes.subarray(from, to))
      from = to + 1
    }
    // A copy: a view would keep the whole chunk in memory.
    this.#rest = from === bytes.length ? [] : [Buffer.from(bytes.subarray(from))]
    this.#restLength = bytes.length - from
    return lines
  }
}
