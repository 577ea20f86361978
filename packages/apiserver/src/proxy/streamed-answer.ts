import { PilothouseError, type Stream, type TransportResponse } from "@pilothouse/seams"

/** An answer as it begins: its body is still to be read. */
export interface StreamedAnswer extends TransportResponse {
  readonly body: Stream
}

/** Whatever a dialer gives as a stream: that of a test may give a whole body. */
export function streamOf({ body }: Pick<TransportResponse, "body">): Stream {
  if (body.type === "stream") return body
  const text = body.type === "value" && body.value !== undefined ? JSON.stringify(body.value) : ""
  const bytes = body.type === "bytes" ? body.bytes : Buffer.from(text)
  return { type: "stream", frames: once(bytes) }
}

async function* once(bytes: Uint8Array) {
  if (bytes.length > 0) yield { type: "bytes", bytes } as const
}

/** Returns everything that comes. Throws where it is more than `maxSize` bytes: the rest is not read. */
export async function wholeAnswer({ frames }: Stream, maxSize: number, from: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const frame of frames) {
    if (frame.type !== "bytes") throw new PilothouseError("PROTOCOL", `expected bytes from ${from}, found a value`)
    size += frame.bytes.length
    if (size > maxSize) throw new PilothouseError("INVALID", `expected at most ${maxSize} bytes from ${from}, found more`)
    pieces.push(frame.bytes)
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

/** Returns the answer of another server. Throws where its status is none that HTTP/2 can pass on: what of its body has come is left. */
export async function proxiedAnswer(response: TransportResponse): Promise<StreamedAnswer> {
  const { status } = response
  const body = streamOf(response)
  if (status === 101 || (status >= 200 && status <= 599)) return { ...response, body }
  await endAnswer(body)
  throw new PilothouseError("PROTOCOL", `malformed HTTP status code ${status}`)
}

/** Ends an answer that is not going to be read. */
export async function endAnswer({ frames }: Stream): Promise<void> {
  await frames[Symbol.asyncIterator]().return?.()
}
