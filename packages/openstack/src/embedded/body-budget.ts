/** In bytes. */
export interface BodyLimits {
  readonly each: number
  /** Of all bodies that are read or answered at the same time. */
  readonly all: number
}

/** A body that was read, or why not; its bytes count until it is disposed. */
export type ReadBody = Disposable &
  (
    | { readonly refused?: undefined; readonly bytes: Uint8Array | undefined }
    | { readonly refused: 413 | 503; readonly message: string; readonly bytes?: undefined }
  )

/** Limits what the clients of a port may make it hold. Between calls: `#held` is the size of the bodies that are not disposed, at most `all`. */
export class BodyBudget {
  readonly #limits: BodyLimits
  #held = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  async read(chunks: AsyncIterable<Uint8Array>): Promise<ReadBody> {
    const parts: Uint8Array[] = []
    let size = 0
    const dispose = () => {
      this.#held -= size
      size = 0
    }
    try {
      for await (const chunk of chunks) {
        const refusal = this.#refusal(size + chunk.length, chunk.length)
        if (refusal !== undefined) {
          dispose()
          return { ...refusal, [Symbol.dispose]: dispose }
        }
        this.#held += chunk.length
        size += chunk.length
        parts.push(chunk)
      }
    } catch (error) {
      dispose()
      throw error
    }
    return { bytes: parts.length === 0 ? undefined : Buffer.concat(parts), [Symbol.dispose]: dispose }
  }

  #refusal(size: number, more: number): { readonly refused: 413 | 503; readonly message: string } | undefined {
    const { each, all } = this.#limits
    if (size > each) return { refused: 413, message: `expected a body of up to ${each} bytes` }
    if (this.#held + more <= all) return undefined
    return { refused: 503, message: `expected up to ${all} bytes in all bodies at the same time, found more; send it again later` }
  }
}
