import { type Body, type BodyReader, noBody, valueBody } from "@pilothouse/seams"
import type { Received } from "./requester.ts"

/** No real answer is larger: an announcement above it is not trusted before the bytes have arrived. */
const maxRoom = 1024 * 1024 * 1024

/** Everything that comes, in one piece. */
export async function wholeBody(received: Pick<Received, "body" | "headers" | "isComplete">): Promise<Body> {
  const { body, headers } = received
  const announced = Number(headers["content-length"])
  const chunks = announced > 0 && announced <= maxRoom ? new Room(announced) : new Pieces()
  await readAll(received, (chunk) => {
    if (!chunks.add(chunk)) body.destroy(new Error(`the server sent more than the ${announced} bytes that it had announced`))
  })
  const bytes = chunks.whole()
  return bytes.length === 0 ? noBody : { type: "bytes", bytes, contentType: String(headers["content-type"] ?? "") }
}

/** Passes everything that comes to the reader while it comes, and returns its result. */
export async function readBody(received: Pick<Received, "body" | "isComplete">, reader: BodyReader): Promise<Body> {
  await readAll(received, (chunk) => reader.push(chunk))
  return valueBody(reader.end())
}

/** By listening and not by an iterator: a promise for every 64 KiB takes as long as receiving them. What a listener throws would end the process. */
function readAll({ body, isComplete }: Pick<Received, "body" | "isComplete">, take: (chunk: Uint8Array) => void): Promise<void> {
  const cut = () => new Error("the connection was closed before the whole answer had come")
  return new Promise((resolve, reject) => {
    const listener = (chunk: Uint8Array) => {
      try {
        take(chunk)
      } catch (error) {
        // What waits already would come all the same.
        body.off("data", listener)
        body.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    }
    body.on("data", listener)
    body.once("end", () => (isComplete?.() === false ? reject(cut()) : resolve()))
    body.once("error", reject)
    // A connection that is cut ends neither well nor with an error.
    body.once("close", () => reject(cut()))
  })
}

/** Room for what was announced: each chunk is released as soon as it has arrived. */
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
