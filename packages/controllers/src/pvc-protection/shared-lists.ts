/**
 * Shares one list request among concurrent reconciles: forty claims of a namespace do not list its pods forty times.
 * A caller never shares a request that was already in flight: its result may be older than the event that caused the call.
 * Invariant: each name has at most one request in flight and at most one queued.
 */
export class SharedLists<T> {
  readonly #inFlight = new Map<string, Promise<void>>()
  readonly #queued = new Map<string, Promise<T>>()

  get(name: string, request: () => Promise<T>): Promise<T> {
    const shared = this.#queued.get(name)
    if (shared !== undefined) return shared
    const asked = this.#turn(name, request)
    this.#queued.set(name, asked)
    return asked
  }

  async #turn(name: string, request: () => Promise<T>): Promise<T> {
    await this.#inFlight.get(name)
    this.#queued.delete(name)
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    this.#inFlight.set(name, answered)
    try {
      return await request()
    } finally {
      // The queued request runs next and replaces this entry.
      if (!this.#queued.has(name)) this.#inFlight.delete(name)
      resolve()
    }
  }
}
