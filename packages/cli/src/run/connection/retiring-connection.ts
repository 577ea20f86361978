import { type Clock, type Frame, onAbort, type Transport, type TransportResponse } from "@pilothouse/seams"

/** Milliseconds that a watch may go on on a connection that was replaced; then it is opened again on the new one. */
const maxRetirement = 600_000

/**
 * A connection that may be replaced.
 *
 * Always true between calls: it is closed, once, as soon as it was retired and nothing runs on it any more, or ten minutes after, or when it is disposed.
 */
export class RetiringConnection implements AsyncDisposable {
  readonly #inner: Transport
  readonly #close: () => PromiseLike<void>
  readonly #clock: Clock
  readonly #closed = Promise.withResolvers<void>()
  #isClosing = false
  #running = 0
  /** Set from when it was retired until it is closed. */
  #limit: Disposable | undefined

  constructor(inner: Transport, close: () => PromiseLike<void>, clock: Clock) {
    this.#inner = inner
    this.#close = close
    this.#clock = clock
  }

  readonly transport: Transport = async (request) => {
    const end = this.#begin()
    // A caller that gives up a stream before it reads it says so by its signal only.
    const listening = onAbort(request.signal, end)
    const over = () => {
      listening[Symbol.dispose]()
      end()
    }
    try {
      return followed(await this.#inner(request), over)
    } catch (error) {
      over()
      throw error
    }
  }

  /** Nothing new will be asked. Ends when it is closed. */
  retire(): Promise<void> {
    this.#limit ??= this.#clock.timer(maxRetirement, "a connection that was replaced", () => this.#end())
    if (this.#running === 0) this.#end()
    return this.#closed.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
    await this.#closed.promise
  }

  #begin(): () => void {
    let runs = true
    this.#running++
    return () => {
      if (!runs) return
      runs = false
      this.#running--
      if (this.#running === 0 && this.#limit !== undefined) this.#end()
    }
  }

  #end(): void {
    this.#limit?.[Symbol.dispose]()
    if (this.#isClosing) return
    this.#isClosing = true
    this.#close().then(this.#closed.resolve, this.#closed.reject)
  }
}

/** Calls `over` when the answer has been read: at once, but for a stream. */
function followed(response: TransportResponse, over: () => void): TransportResponse {
  const { body } = response
  if (body.type !== "stream") {
    over()
    return response
  }
  return { ...response, body: { ...body, frames: until(body.frames, over) } }
}

async function* until(frames: AsyncIterable<Frame>, over: () => void): AsyncGenerator<Frame> {
  try {
    yield* frames
  } finally {
    over()
  }
}
