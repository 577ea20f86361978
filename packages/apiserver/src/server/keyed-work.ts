import { type Clock, lazy } from "@pilothouse/seams"

export interface KeyedWorkOptions {
  readonly clock: Clock
  /** Of its timers: "availability of an APIService". */
  readonly name: string
  /** Throws where it failed: the key is then tried again. */
  readonly work: (key: string) => Promise<void>
  /** Keys that are worked on at a time. */
  readonly concurrency: number
  /** Milliseconds until a failed key is tried again: doubled with each failure, up to `maxDelay`. */
  readonly minDelay: number
  readonly maxDelay: number
  /** Milliseconds after a success until a key is worked on again; without it that is when it is added again. */
  readonly refreshAfter?: number
}

interface Key {
  failures: number
  isActive: boolean
  /** It was added while it was worked on. */
  isDirty: boolean
  timer: Disposable | undefined
}

/**
 * Works on keys: at once when one is added, after a delay when it failed, and from time to time. Invariant: a key is never worked on
 * twice at once, one that was added is worked on after that, and none is once it was removed or all was disposed.
 */
export class KeyedWork implements Disposable {
  readonly #options: KeyedWorkOptions
  readonly #keys = new Map<string, Key>()
  readonly #ready = new Set<string>()
  #active = 0
  #disposed = false
  /** The storage's watchers must not write: work begins when all of them are notified. */
  #begin = this.#microtask()

  constructor(options: KeyedWorkOptions) {
    this.#options = options
  }

  add(key: string): void {
    if (this.#disposed) return
    const known = this.#keys.get(key) ?? { failures: 0, isActive: false, isDirty: false, timer: undefined }
    this.#keys.set(key, known)
    this.#stopTimer(known)
    if (known.isActive) known.isDirty = true
    else {
      this.#ready.add(key)
      this.#begin()
    }
  }

  remove(key: string): void {
    const known = this.#keys.get(key)
    if (known !== undefined) this.#stopTimer(known)
    this.#keys.delete(key)
    this.#ready.delete(key)
  }

  [Symbol.dispose](): void {
    this.#disposed = true
    for (const known of this.#keys.values()) this.#stopTimer(known)
    this.#keys.clear()
    this.#ready.clear()
  }

  #microtask(): () => void {
    return lazy(() =>
      queueMicrotask(() => {
        this.#begin = this.#microtask()
        this.#start()
      }),
    )
  }

  #start(): void {
    for (const key of this.#ready) {
      if (this.#active >= this.#options.concurrency) return
      this.#ready.delete(key)
      const known = this.#keys.get(key)
      if (known !== undefined) void this.#run(key, known)
    }
  }

  async #run(key: string, known: Key): Promise<void> {
    this.#active++
    known.isActive = true
    try {
      await this.#options.work(key)
      known.failures = 0
    } catch {
      // The work itself reports what failed: here it only decides when the key is tried again.
      known.failures++
    }
    this.#active--
    known.isActive = false
    this.#wait(key, known)
    this.#start()
  }

  #wait(key: string, known: Key): void {
    if (this.#disposed || this.#keys.get(key) !== known) return
    if (known.isDirty) {
      known.isDirty = false
      this.#ready.add(key)
      return
    }
    const { clock, name, minDelay, maxDelay, refreshAfter } = this.#options
    if (known.failures === 0 && refreshAfter === undefined) return void this.#keys.delete(key)
    const delay = known.failures === 0 ? refreshAfter! : Math.min(maxDelay, minDelay * 2 ** (known.failures - 1))
    known.timer = clock.timer(delay, name, () => this.add(key))
  }

  #stopTimer(known: Key): void {
    known.timer?.[Symbol.dispose]()
    known.timer = undefined
  }
}
