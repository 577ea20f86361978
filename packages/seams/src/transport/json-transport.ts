import { PilothouseError } from "../errors/errors.ts"
import { parseJson, stringifyJson } from "../json/exact-json.ts"
import type { Body, Frame, Stream, Transport } from "./transport.ts"

/**
 * Takes every body through JSON, as a wire would: tests run over this too,
 * so that no code relies on the objects of a client and a server being the same.
 */
export function jsonRoundTrip(inner: Transport): Transport {
  return async (request) => {
    const response = await inner({ ...request, body: request.body && copyBody(request.body) })
    return { ...response, body: response.body.type === "stream" ? copyStream(response.body) : copyBody(response.body) }
  }
}

function copyBody<Piece extends Body | Frame>(body: Piece): Piece {
  if (body.type === "bytes" || body.value === undefined) return body
  const text = stringifyJson(body.value)
  if (text === undefined) throw new PilothouseError("INVALID", `expected a body that can be written as JSON, found a ${typeof body.value}`)
  return { ...body, value: parseJson(text) }
}

function copyStream(stream: Stream): Stream {
  async function* frames(): AsyncGenerator<Frame> {
    for await (const frame of stream.frames) yield copyBody(frame)
  }
  return { ...stream, frames: frames() }
}
