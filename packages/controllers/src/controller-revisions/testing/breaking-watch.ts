import type { Frame, Stream, Transport } from "@pilothouse/seams"

/** Every watch breaks after two events, and the third is lost with it: the client has to list again. */
export function breaking(): (inner: Transport) => Transport {
  return (inner) => async (request) => {
    const response = await inner(request)
    if (response.body.type !== "stream") return response
    const body: Stream = { type: "stream", frames: firstTwo(response.body.frames) }
    return { ...response, body }
  }
}

async function* firstTwo(frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
  let left = 2
  for await (const frame of frames) {
    if (left-- === 0) return
    yield frame
  }
}
