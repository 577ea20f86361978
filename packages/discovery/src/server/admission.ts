/**
 * One question at a time about a token of a connection: each may be one to the API server, and a client may open many streams at once. Nothing is kept
 * once it is answered.
 */
export class Admission {
  readonly #asked = new Map<object, Map<string, Promise<string | undefined>>>()

  /** Undefined lets the client in; a text is why not. */
  async ask(connection: object, token: string, authenticate: () => Promise<string | undefined>): Promise<string | undefined> {
    const known = this.#asked.get(connection) ?? new Map<string, Promise<string | undefined>>()
    const underWay = known.get(token)
    if (underWay !== undefined) return underWay
    const answer = authenticate()
    this.#asked.set(connection, known.set(token, answer))
    try {
      return await answer
    } finally {
      known.delete(token)
      if (known.size === 0) this.#asked.delete(connection)
    }
  }
}
