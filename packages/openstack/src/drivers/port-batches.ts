import { OpenStackError } from "../clients/errors.ts"
import type { PodPort, PortWish } from "./pod-vif.ts"

type Create = (wishes: readonly PortWish[], signal: AbortSignal) => Promise<readonly PodPort[]>

interface Waiting {
  readonly wish: PortWish
  readonly made: PromiseWithResolvers<PodPort>
}

/** So many ports in one call: Neutron makes them one after the other anyway, and the last of a batch waits for all of it. */
export const largestBatch = 10
/** Neutron's work is its own processor time: more calls at once only take turns. */
const callsAtOnce = 2

/**
 * Puts wishes that come while calls are under way into one call: a burst of 50 pods costs a few bulk creates.
 * Always true between calls: nobody waits while fewer calls than allowed are under way.
 */
export class PortBatches {
  readonly #create: Create
  readonly #waiting: Waiting[] = []
  #calls = 0

  constructor(create: Create) {
    this.#create = create
  }

  create(wish: PortWish, signal: AbortSignal): Promise<PodPort> {
    const made = Promise.withResolvers<PodPort>()
    this.#waiting.push({ wish, made })
    if (this.#calls < callsAtOnce) void this.#work(signal)
    return made.promise
  }

  async #work(signal: AbortSignal): Promise<void> {
    this.#calls++
    for (let batch = this.#waiting.splice(0, largestBatch); batch.length > 0; batch = this.#waiting.splice(0, largestBatch)) {
      await this.#make(batch, signal)
    }
    this.#calls--
  }

  async #make(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
    try {
      const ports = await this.#create(
        batch.map(({ wish }) => wish),
        signal,
      )
      for (const [at, { made }] of batch.entries()) made.resolve(ports[at]!)
    } catch (error) {
      // One bad wish spoils a bulk create: the others must not suffer from it.
      if (batch.length > 1 && isClearRefusal(error)) for (const one of batch) await this.#make([one], signal)
      else for (const { made } of batch) made.reject(error)
    }
  }
}

/** The cloud said no, so nothing was made. After anything else nobody knows. */
export function isClearRefusal(error: unknown): boolean {
  return error instanceof OpenStackError && error.refusal.status < 500
}
