import { gunzipSync, inflateSync } from "node:zlib"
import type { GrpcStatus } from "./grpc-status.ts"

/** Before each message: whether it is compressed, and its length. */
const headLength = 5
/** Each costs a hundred bytes beside those it has: a client may send its message byte by byte. */
const maxPieces = 1_024

/** The limits of messages, and their consumer. */
export interface GrpcMessagesOptions {
  /** Bytes of a message, also of one that was compressed. */
  readonly largest: number
  /** What the header "grpc-encoding" says. */
  readonly encoding?: string
}

/** Why a message cannot be read. */
export class UnreadableMessage {
  readonly status: GrpcStatus
  readonly text: string

  constructor(status: GrpcStatus, text: string) {
    this.status = status
    this.text = text
  }
}

const decompressors: ReadonlyMap<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer> = new Map([
  ["gzip", gunzipSync],
  ["deflate", inflateSync],
])

/**
 * Cuts what a stream brings into gRPC's messages.
 *
 * Invariant: what is kept is the beginning of a message, or messages that were not taken yet; never more than the largest message and
 * what one piece brought, in a bounded number of pieces.
 */
export class GrpcMessages {
  readonly #options: GrpcMessagesOptions
  #pieces: Buffer[] = []
  #have = 0

  constructor(options: GrpcMessagesOptions) {
    this.#options = options
  }

  /** Nothing is kept: no message that was not taken, and no beginning of one. */
  get isEmpty(): boolean {
    return this.#have === 0
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#have += piece.length
    if (this.#pieces.length > maxPieces) this.#pieces = [Buffer.concat(this.#pieces)]
  }

  /** The next whole message; undefined: more has to come. */
  take(): Buffer | UnreadableMessage | undefined {
    if (this.#have < headLength) return undefined
    const head = this.#first(headLength)
    const { largest } = this.#options
    const length = head.readUInt32BE(1)
    if (length > largest) return tooLarge(String(length), largest)
    const end = headLength + length
    if (this.#have < end) return undefined
    const bytes = this.#first(end)
    this.#have -= end
    if (bytes.length === end) this.#pieces.shift()
    else this.#pieces[0] = bytes.subarray(end)
    const message = bytes.subarray(headLength, end)
    return bytes[0] === 0 ? message : this.#decompressed(message, bytes[0])
  }

  /** A buffer that begins with so many bytes. A long message comes in many pieces: they are put together once it is whole. */
  #first(length: number): Buffer {
    const [first] = this.#pieces
    if (first !== undefined && first.length >= length) return first
    const all = Buffer.concat(this.#pieces)
    this.#pieces = [all]
    return all
  }

  #decompressed(message: Buffer, flag: number | undefined): Buffer | UnreadableMessage {
    const { encoding = "identity", largest } = this.#options
    // As gRPC's rules for compression have it: a client that contradicts itself, as opposed to one that can do more than we.
    if (flag !== 1) return new UnreadableMessage("INTERNAL", `expected a message that is compressed or not, found the flag ${flag}`)
    if (encoding === "identity") return new UnreadableMessage("INTERNAL", "expected a compressed message to say by what, found no encoding")
    const decompress = decompressors.get(encoding)
    if (decompress === undefined)
      return new UnreadableMessage("UNIMPLEMENTED", `expected a message as it is, or by gzip or deflate, found ${encoding}`)
    try {
      return decompress(message, { maxOutputLength: largest })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return tooLarge("more", largest)
      return new UnreadableMessage("INTERNAL", `expected a message by ${encoding}, found bytes that are none`)
    }
  }
}

function tooLarge(found: string, largest: number): UnreadableMessage {
  return new UnreadableMessage("RESOURCE_EXHAUSTED", `expected a message of at most ${largest} bytes, found ${found}`)
}
