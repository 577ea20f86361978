/**
 * One question to the server for all who wait for the same answer: forty claims of a namespace need not list its pods forty times.
 * Nobody shares an answer to a question that was on its way when they asked: it may be older than what made them ask.
 * Always true between calls: of each name at most one question is on its way, and at most one is still to be asked.
 */
export class SharedLists<T> {
  readonly #onTheirWay = new Map<string, Promise<void>>()
  readonly #toBeAsked = new Map<string, Promise<T>>()

  ask(name: string, question: () => Promise<T>): Promise<T> {
    const shared = this.#toBeAsked.get(name)
    if (shared !== undefined) return shared
    const asked = this.#turn(name, question)
    this.#toBeAsked.set(name, asked)
    return asked
  }

  async #turn(name: string, question: () => Promise<T>): Promise<T> {
    await this.#onTheirWay.get(name)
    this.#toBeAsked.delete(name)
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    this.#onTheirWay.set(name, answered)
    try {
      return await question()
    } finally {
      // Whoever waits goes next, and puts its own question in this place.
      if (!this.#toBeAsked.has(name)) this.#onTheirWay.delete(name)
      resolve()
    }
  }
}
