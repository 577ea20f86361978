// A protobuf watch stream is frames: four bytes of length, most significant first, and an event.
import { PilothouseError } from "@pilothouse/seams"
import { decodeWatchEvent } from "./decode.ts"
import type { PartialKind } from "./partial.ts"

/** Far above what etcd holds (1.5 MB an object); a wrong length must not make us wait for gigabytes. */
export const maximumFrame = 64 * 1024 * 1024

export interface WatchFrames {
  readonly events: readonly { readonly type: string; readonly object: unknown }[]
  /** The beginning of a frame that is not whole yet: put it before the next chunk. */
  readonly rest: Uint8Array
}

/** The events of the whole frames in a chunk of the stream. */
export function decodeWatchFrames(chunk: Uint8Array, only?: PartialKind): WatchFrames {
  const events: { readonly type: string; readonly object: unknown }[] = []
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  let start = 0
  while (chunk.length - start >= 4) {
    const length = view.getUint32(start)
    if (length > maximumFrame)
      throw new PilothouseError("INVALID", `byte ${start}: a watch frame has at most ${maximumFrame} bytes, not ${length}`)
    const end = start + 4 + length
    if (end > chunk.length) break
    events.push(decodeWatchEvent(chunk.subarray(start + 4, end), only))
    start = end
  }
  return { events, rest: chunk.subarray(start) }
}
