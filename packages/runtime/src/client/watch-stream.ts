import type { KubeObject, Status } from "@pilothouse/api"
import { type Frame, PilothouseError } from "@pilothouse/seams"
import type { WatchOptions } from "./options.ts"
import { parsed, parseWithoutManagedFields } from "./skip-managed-fields.ts"

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status }

/** The events of a watch, whether they come as values (in process) or as lines of JSON in chunks cut anywhere (over the wire). */
export async function* watchEvents<T extends KubeObject>(
  frames: AsyncIterable<Frame>,
  options: Pick<WatchOptions, "skipManagedFields"> = {},
): AsyncGenerator<WatchEvent<T>> {
  const lines = new LineSplitter()
  for await (const frame of frames) {
    if (frame.type === "value") yield frame.value as WatchEvent<T>
    else for (const line of lines.push(frame.bytes)) yield parseEvent(line, options)
  }
  // A rest without a newline is an event cut in the middle: the connection broke, and the next watch brings it whole.
}

const newline = 0x0a

/**
 * Splits at \n only: U+2028 and U+2029 are data inside a JSON string, and node:readline would cut there.
 * Works on bytes, so a character cut in two is whole again before it is decoded. Only a line that crosses the border of two chunks is put
 * together, once, however many chunks it is in.
 * Always true between calls: the rest holds no newline.
 */
export class LineSplitter {
  #rest: Uint8Array[] = []

  push(chunk: Uint8Array): readonly string[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const first = bytes.indexOf(newline)
    if (first < 0) {
      this.#rest.push(bytes)
      return []
    }
    const crossing = this.#rest.length === 0 ? bytes.subarray(0, first) : Buffer.concat([...this.#rest, bytes.subarray(0, first)])
    const lines = crossing.length === 0 ? [] : [crossing.toString()]
    let from = first + 1
    for (let to = bytes.indexOf(newline, from); to >= 0; to = bytes.indexOf(newline, from)) {
      // Each by itself: parsing parts of one long string takes a tenth longer (measured), and one character beyond Latin-1 doubles all of it.
      if (to > from) lines.push(bytes.toString("utf8", from, to))
      from = to + 1
    }
    // A copy: the rest of a chunk would keep all of it.
    this.#rest = from === bytes.length ? [] : [Buffer.from(bytes.subarray(from))]
    return lines
  }
}

function parseEvent<T extends KubeObject>(line: string, { skipManagedFields }: Pick<WatchOptions, "skipManagedFields">): WatchEvent<T> {
  const event = skipManagedFields ? parseWithoutManagedFields(line, objectOf) : parsed(line)
  if (event !== undefined) return event as WatchEvent<T>
  throw new PilothouseError("PROTOCOL", `expected a watch event as one line of JSON, found ${JSON.stringify(line.slice(0, 80))}`)
}

function objectOf(event: unknown): WatchEvent["object"] | undefined {
  return (event as WatchEvent | null)?.object
}
