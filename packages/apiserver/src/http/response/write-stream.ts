import { abortable, type Frame, onAbort, type Stream } from "@pilothouse/seams"
import { breakOff, drained, type Exchange, flushHeaders, pieceSize, writePieces } from "../exchange.ts"
import type { EncodedObjects } from "./encoded-objects.ts"

/**
 * Sends frames as they come, and asks for the next only when the client has room for it:
 * a slow client holds its own stream up, never our memory.
 */
export async function writeStream(exchange: Exchange, stream: Stream, encoded: EncodedObjects): Promise<void> {
  const { response, controller, stopping } = exchange
  const { signal } = controller
  flushHeaders(response)
  using _ = onAbort(stopping, () => controller.abort())
  const frames = stream.frames[Symbol.asyncIterator]()
  try {
    while (!signal.aborted) {
      const next = await abortable(frames.next(), signal)
      if (next.done) break
      const bytes = bytesOf(next.value, encoded)
      const last = bytes.length <= pieceSize ? bytes : await writePieces(response, bytes)
      if (!signal.aborted && !response.write(last) && !signal.aborted) await drained(response)
    }
  } catch (error) {
    if (!signal.aborted) {
      breakOff(exchange)
      throw error
    }
  } finally {
    // Not awaited: a stream that is stuck in its own next() would keep us here.
    frames.return?.().catch(() => undefined)
    response.end()
  }
}

function bytesOf(frame: Frame, encoded: EncodedObjects): Uint8Array {
  return frame.type === "bytes" ? frame.bytes : encoded.line(frame.value)
}
