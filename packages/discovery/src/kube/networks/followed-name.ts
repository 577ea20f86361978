import { abortable, type Clock, type Log, messageOf } from "@pilothouse/seams"

/** The addresses of a name, and how long they hold. */
export interface NameAnswer {
  /** Of both families. None: the name does not exist, or not any more. */
  readonly addresses: readonly string[]
  /** Milliseconds for which the answer may be believed. */
  readonly ttl: number
}

/** Asks which addresses a name has. Rejects without an answer; ends early with the signal. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<NameAnswer>

/** How a name is resolved and its addresses reported. */
export interface FollowedNameOptions {
  readonly resolve: ResolveName
  readonly clock: Clock
  readonly log: Log
  /** It has other addresses than before. */
  readonly changed: () => void
}

/** Istio's limits: a name of a short life must not cause a full push all the time, and none is believed for longer than an hour. */
const [shortest, longest] = [30_000, 3_600_000]

/**
 * The addresses of a gateway that is known by a name, asked for again when the answer runs out.
 *
 * Invariant: without an answer, the addresses are those of the last answer.
 */
export class FollowedName {
  readonly #name: string
  readonly #options: FollowedNameOptions
  readonly #asked = Promise.withResolvers<void>()
  #addresses: readonly string[] = []
  #fails = false
  #isEmpty = false

  constructor(name: string, options: FollowedNameOptions) {
    this.#name = name
    this.#options = options
  }

  get addresses(): readonly string[] {
    return this.#addresses
  }

  /** Over when it was asked for once, answered or not. */
  get asked(): Promise<void> {
    return this.#asked.promise
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const answer = await this.#ask(signal)
      if (answer !== undefined && !signal.aborted) this.#take(answer)
      this.#asked.resolve()
      const wait = Math.min(longest, Math.max(shortest, answer?.ttl ?? 0))
      // The signal ends the wait.
      await this.#options.clock.sleep(wait, { signal, name: `${this.#name} is asked for again` }).catch(() => {})
    }
    this.#asked.resolve()
  }

  /** Undefined without an answer. */
  async #ask(signal: AbortSignal): Promise<NameAnswer | undefined> {
    try {
      return await abortable(this.#options.resolve(this.#name, signal), signal)
    } catch (error) {
      if (!signal.aborted) this.#reportFailure(messageOf(error))
      return undefined
    }
  }

  #take({ addresses }: NameAnswer): void {
    const { log, changed } = this.#options
    if (this.#fails) log.info(`the name of the gateway ${this.#name} is answered again`, { gateway: this.#name })
    this.#fails = false
    const sorted = [...new Set(addresses)].sort()
    // Once, until it has one.
    if (sorted.length === 0 && !this.#isEmpty)
      log.warn(`the name of the gateway ${this.#name} has no address; it is left out`, { gateway: this.#name })
    this.#isEmpty = sorted.length === 0
    if (sorted.join() === this.#addresses.join()) return
    this.#addresses = sorted
    changed()
  }

  /** Once, until it is answered again. */
  #reportFailure(error: string): void {
    if (this.#fails) return
    this.#fails = true
    const kept = this.#addresses.length === 0 ? "it is left out until then" : `keeping ${this.#addresses.join(", ")}`
    this.#options.log.warn(`the name of the gateway ${this.#name} was not answered, and is asked for every 30 s; ${kept}`, {
      gateway: this.#name,
      error,
    })
  }
}
