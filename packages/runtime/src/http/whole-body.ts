import type { Readable } from "node:stream"
import { type Body, noBody } from "@pilothouse/seams"
import type { Received } from "./requester.ts"

/** Nobody sends more; whoever says so is not believed before it has come. */
const mostRoom = 1024 * 1024 * 1024

/** Everything that comes, in one piece. */
export async function wholeBody({ body, headers }: Pick<Received, "body" | "headers">): Promise<Body> {
  const bytes = await collected(body, Number(headers["content-length"]))
  return bytes.length === 0 ? noBody : { type: "bytes", bytes, contentType: String(headers["content-type"] ?? "") }
}

/** By listening and not by an iterator: a promise for every 64 KiB takes as long as receiving them. */
function collected(body: Readable, announced: number): Promise<Uint8Array> {
  const chunks = announced > 0 && announced <= mostRoom ? new Room(announced) : new Pieces()
  return new Promise((resolve, reject) => {
    body.on("data", (chunk: Uint8Array) => {
      if (!chunks.add(chunk)) body.destroy(new Error(`the server sent more than the ${announced} bytes that it had announced`))
    })
    body.once("end", () => resolve(chunks.whole()))
    body.once("error", reject)
    // A connection that is cut ends neither well nor with an error.
    body.once("close", () => reject(new Error("the connection was closed before the whole answer had come")))
  })
}

/** Room for what was announced: each chunk is let go as soon as it has come. */
class Room {
  readonly #bytes: Buffer
  #used = 0

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size)
  }

  /** False: there is no room for it. */
  add(chunk: Uint8Array): boolean {
    if (this.#used + chunk.length > this.#bytes.length) return false
    this.#bytes.set(chunk, this.#used)
    this.#used += chunk.length
    return true
  }

  whole(): Uint8Array {
    return this.#bytes.subarray(0, this.#used)
  }
}

/** Where the length is not known before. */
class Pieces {
  readonly #chunks: Uint8Array[] = []

  add(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk)
    return true
  }

  whole(): Uint8Array {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
  }
}
