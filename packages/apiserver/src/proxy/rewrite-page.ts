import { Readable, type Transform } from "node:stream"
import { createGunzip, createInflateRaw } from "node:zlib"
import type { Frame, HeaderMap, Stream } from "@pilothouse/seams"
import { HtmlRewriter } from "./rewrite-html.ts"

const decoders: Readonly<Record<string, () => Transform>> = { gzip: createGunzip, deflate: createInflateRaw }

/** A page with other URLs, piece by piece. One that is compressed is not any more; one in an encoding that is not known here stays as it is. */
export function rewritePage(
  headers: HeaderMap,
  body: Stream,
  rewrite: (url: string) => string,
): { readonly headers: HeaderMap; readonly body: Stream } {
  const encoding = headers["content-encoding"] ?? ""
  const decoder = decoders[encoding]
  if (encoding !== "" && decoder === undefined) return { headers, body }
  const { "content-length": _length, "content-encoding": _encoding, ...others } = headers
  const frames = decoder === undefined ? body.frames : decoded(body.frames, decoder())
  return { headers: others, body: { type: "stream", frames: rewritten(frames, new HtmlRewriter(rewrite)) } }
}

async function* rewritten(frames: AsyncIterable<Frame>, page: HtmlRewriter): AsyncGenerator<Frame> {
  for await (const frame of frames) {
    if (frame.type !== "bytes") continue
    const text = page.push(Buffer.from(frame.bytes).toString("latin1"))
    if (text !== "") yield { type: "bytes", bytes: Buffer.from(text, "latin1") }
  }
  const rest = page.end()
  if (rest !== "") yield { type: "bytes", bytes: Buffer.from(rest, "latin1") }
}

/** As fast as it is read: what comes out of a few bytes may be a thousand times as long. */
async function* decoded(frames: AsyncIterable<Frame>, decoder: Transform): AsyncGenerator<Frame> {
  const source = Readable.from(bytesOf(frames))
  source.on("error", (error) => decoder.destroy(error))
  try {
    for await (const bytes of source.pipe(decoder)) yield { type: "bytes", bytes: bytes as Buffer }
  } finally {
    source.destroy()
    decoder.destroy()
  }
}

async function* bytesOf(frames: AsyncIterable<Frame>): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) if (frame.type === "bytes") yield frame.bytes
}
