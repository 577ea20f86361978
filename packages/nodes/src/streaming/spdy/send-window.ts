/** Bytes that may be sent on a stream before the other end has said anything (SPDY/3.1, 2.6.8). */
export const firstWindow = 64 * 1024

/**
 * Counts what may be sent. Kubernetes' clients never say how much they can take, so the window is kept to only once the other end has: until then
 * the connection itself is the limit.
 * Invariant: at most one piece waits.
 */
export class SendWindow {
  #left: number
  #isKept: () => boolean
  #waiting: (() => void) | undefined

  constructor(size: number, isKept: () => boolean) {
    this.#left = size
    this.#isKept = isKept
  }

  /** Calls back when a piece of this size may be sent. A window that is a little too small lets it pass, and the next one waits longer. */
  spend(size: number, send: () => void): void {
    const go = () => {
      this.#left -= size
      send()
    }
    if (this.#left > 0 || !this.#isKept()) go()
    else this.#waiting = go
  }

  add(delta: number): void {
    // More than 2^31 - 1 is a fault of the other end, which only harms itself.
    this.#left = Math.min(this.#left + delta, 0x7fff_ffff)
    if (this.#left > 0) this.#release()
  }

  /** What waits is called back: it finds that the stream is over. */
  close(): void {
    this.#isKept = () => false
    this.#release()
  }

  #release(): void {
    const go = this.#waiting
    this.#waiting = undefined
    go?.()
  }
}
