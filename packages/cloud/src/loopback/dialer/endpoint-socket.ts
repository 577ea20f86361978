import { Socket } from "node:net"

/** Bytes. As much as one read brings and the processor's cache holds: with 16 KiB or 1 MiB a gigabyte costs half as much CPU again. */
const bufferSize = 65_536

/**
 * A connection to an endpoint. What is piped into another socket goes there from one buffer that is filled again and again:
 * a new one for every read costs more CPU than all the rest of the forwarding.
 * Invariant between calls: the buffer is filled only when all that was in it has been written to the system, or copied.
 */
export class EndpointSocket extends Socket {
  #to: Socket | undefined
  #isWaiting = false

  constructor() {
    const buffer = Buffer.allocUnsafeSlow(bufferSize)
    super({ allowHalfOpen: true, onread: { buffer, callback: (count) => this.#take(buffer.subarray(0, count)) } })
    this.setNoDelay(true)
    // Paused until it is piped or read.
    this.pause()
  }

  /** Any other stream may keep the buffers it receives: it gets copies, as from every socket. */
  override pipe<T extends NodeJS.WritableStream>(to: T, options?: { readonly end?: boolean }): T {
    if (!(to instanceof Socket) || options !== undefined) return super.pipe(to, options)
    this.#to = to
    this.once("end", () => to.end())
    this.resume()
    return to
  }

  /** False: no more for now. */
  #take(bytes: Uint8Array): boolean {
    if (this.#to === undefined) return this.push(Buffer.from(bytes))
    this.#to.write(bytes, this.#written)
    this.#isWaiting = this.#to.writableLength > 0
    return !this.#isWaiting
  }

  /** Called after every write, not on "drain": the pending bytes may be too few for that. */
  readonly #written = (): void => {
    if (!this.#isWaiting || this.#to?.writableLength !== 0) return
    this.#isWaiting = false
    this.resume()
  }
}
