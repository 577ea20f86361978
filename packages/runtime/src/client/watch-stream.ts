import type { KubeObject, Status } from "@pilothouse/api"
import { type Frame, PilothouseError } from "@pilothouse/seams"

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status }

/** The events of a watch, whether they come as values (in process) or as lines of JSON in chunks cut anywhere (over the wire). */
export async function* watchEvents<T extends KubeObject>(frames: AsyncIterable<Frame>): AsyncGenerator<WatchEvent<T>> {
  const lines = new LineSplitter()
  for await (const frame of frames) {
    if (frame.type === "value") yield frame.value as WatchEvent<T>
    else for (const line of lines.push(frame.bytes)) yield parseEvent(line)
  }
  // A rest without a newline is an event cut in the middle: the connection broke, and the next watch brings it whole.
}

const newline = 0x0a

/**
 * Splits at \n only: U+2028 and U+2029 are data inside a JSON string, and node:readline would cut there.
 * Works on bytes, so a character cut in two is whole again before it is decoded; a line in many chunks is put together once.
 * Always true between calls: the rest holds no newline.
 */
export class LineSplitter {
  #rest: Uint8Array[] = []

  push(chunk: Uint8Array): readonly string[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const last = bytes.lastIndexOf(newline)
    if (last < 0) {
      this.#rest.push(bytes)
      return []
    }
    const whole = this.#rest.length === 0 ? bytes : Buffer.concat([...this.#rest, bytes.subarray(0, last + 1)])
    this.#rest = last + 1 === bytes.length ? [] : [bytes.subarray(last + 1)]
    return linesOf(whole)
  }
}

/** Each line is decoded by itself: parsing parts of one long string takes a tenth longer (measured), and one character beyond Latin-1 doubles all of it. */
function linesOf(bytes: Buffer): readonly string[] {
  const lines: string[] = []
  for (let from = 0, to = bytes.indexOf(newline); to >= 0; from = to + 1, to = bytes.indexOf(newline, from)) {
    if (to > from) lines.push(bytes.toString("utf8", from, to))
  }
  return lines
}

function parseEvent<T extends KubeObject>(line: string): WatchEvent<T> {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new PilothouseError("PROTOCOL", `expected a watch event as one line of JSON, found ${JSON.stringify(line.slice(0, 80))}`, {
      cause,
    })
  }
}
