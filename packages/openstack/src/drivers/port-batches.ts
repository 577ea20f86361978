import { abortable, type Clock, type Semaphore } from "@pilothouse/seams"
import { within } from "../clients/time-limit.ts"
import { isClearRefusal, PodGone } from "./nothing-made.ts"
import { NodesNotReady } from "./parent-ports.ts"
import { PartlyMade } from "./partly-made.ts"
import { moreTime, patienceFor } from "./patience.ts"
import type { PodPort, PortWish } from "./pod-vif.ts"
import { UnansweredCreates } from "./unanswered-creates.ts"

export type Create = (wishes: readonly PortWish[], signal: AbortSignal) => Promise<readonly PodPort[]>

export interface PortBatchesOptions {
  readonly create: Create
  readonly clock: Clock
  /** One for every create that the cloud has not answered, whoever asked for it and whether or not anybody still waits. */
  readonly slots: Semaphore
  /** Whether the pod is still there. */
  isWanted(wish: PortWish): boolean
  /** Somebody's port after all, when nobody waits for it any more. */
  late(wish: PortWish, port: PodPort): void
  /** Nobody knows what a call has made, or will make: it ended without an answer. */
  lost(): void
}

interface Waiting {
  readonly wish: PortWish
  readonly made: PromiseWithResolvers<PodPort>
}

/** So many ports in one call: Neutron makes them one after the other anyway, and the last of a batch waits for all of it. */
export const largestBatch = 10
/** Neutron's work is its own processor time: more calls at once only take turns. */
const callsAtOnce = 2

/**
 * Puts wishes that come while calls are under way into one call: a burst of 50 pods costs a few bulk creates. Whoever waits too long is told so; the
 * call goes on, as the cloud does, and what it makes is used.
 * Always true between calls: nobody waits while fewer calls than allowed are waited for and there is a slot.
 */
export class PortBatches {
  readonly #options: PortBatchesOptions
  readonly #waiting: Waiting[] = []
  readonly #unanswered: UnansweredCreates
  /** What goes on though nobody waits for it; no more than there are slots. */
  readonly #open = new Set<readonly Waiting[]>()
  #workers = 0

  constructor(options: PortBatchesOptions) {
    this.#options = options
    this.#unanswered = new UnansweredCreates(options.clock, moreTime)
  }

  create(wish: PortWish, signal: AbortSignal): Promise<PodPort> {
    const made = Promise.withResolvers<PodPort>()
    this.#waiting.push({ wish, made })
    if (this.#workers < callsAtOnce) void this.#work(signal)
    return made.promise
  }

  /** Why no other port may be made for a pod yet: the cloud is still at the last one. */
  whyNotYet(uid: string): Error | undefined {
    return this.#unanswered.of(uid)
  }

  /** Whether a call is unanswered that makes a port for the pod. */
  isAtIt(uid: string): boolean {
    return [...this.#open].some((batch) => batch.some(({ wish }) => wish.pod?.uid === uid))
  }

  async #work(signal: AbortSignal): Promise<void> {
    this.#workers++
    while (this.#waiting.length > 0) {
      try {
        const slot = await this.#options.slots.acquire(signal)
        await this.#make(this.#next(), slot, signal)
      } catch (closed) {
        for (const { made } of this.#waiting.splice(0)) made.reject(closed)
      }
    }
    this.#workers--
  }

  /** Those that have waited longest. Nothing is asked for where the pod went while it waited: others wait behind it. */
  #next(): readonly Waiting[] {
    for (const one of this.#waiting.splice(0))
      if (this.#options.isWanted(one.wish)) this.#waiting.push(one)
      else one.made.reject(new PodGone())
    return this.#waiting.splice(0, largestBatch)
  }

  async #make(batch: readonly Waiting[], slot: Disposable, signal: AbortSignal): Promise<void> {
    let isAnswered = false
    const call = this.#call(batch, signal).finally(() => {
      isAnswered = true
      slot[Symbol.dispose]()
    })
    const limit = { clock: this.#options.clock, timeout: `${patienceFor(batch.length) / 1000}s`, what: "POST /v2.0/ports" } as const
    try {
      const ports = await within(limit, (late) => abortable(call, late))
      for (const [at, { made }] of batch.entries()) made.resolve(ports[at]!)
    } catch (error) {
      if (!isAnswered) this.#goesOn(batch, call, error)
      // One bad wish spoils a bulk create: the others must not suffer from it.
      if (isAnswered && error instanceof PartlyMade) await this.#partly(batch, error, signal)
      else if (isAnswered && error instanceof NodesNotReady) await this.#withoutThose(batch, error, signal)
      else if (isAnswered && batch.length > 1 && isClearRefusal(error)) await this.#singly(batch, signal)
      else for (const { made } of batch) made.reject(error)
    }
  }

  async #call(batch: readonly Waiting[], signal: AbortSignal): Promise<readonly PodPort[]> {
    try {
      return batch.length === 0
        ? []
        : await this.#options.create(
            batch.map(({ wish }) => wish),
            signal,
          )
    } catch (error) {
      if (error instanceof PartlyMade ? error.isDoubtful : !isClearRefusal(error)) this.#options.lost()
      throw error
    }
  }

  /** Those that were made are had; of the others each may still be possible without the rest. */
  async #partly(batch: readonly Waiting[], { outcomes, isDoubtful }: PartlyMade, signal: AbortSignal): Promise<void> {
    const refused = batch.filter((_, at) => outcomes[at]?.status === "rejected")
    const isWorthIt = refused.length > 1 && !isDoubtful
    for (const [at, { made }] of batch.entries()) {
      const one = outcomes[at]!
      if (one.status === "fulfilled") made.resolve(one.value)
      else if (!isWorthIt) made.reject(one.reason)
    }
    if (isWorthIt) await this.#singly(refused, signal)
  }

  async #singly(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
    for (const one of batch) await this.#makeNow([one], signal)
  }

  async #withoutThose(batch: readonly Waiting[], { why }: NodesNotReady, signal: AbortSignal): Promise<void> {
    const [bad = [], good = []] = [true, false].map((isBad) => batch.filter(({ wish }) => why.has(wish.hostIp) === isBad))
    for (const { wish, made } of bad) made.reject(why.get(wish.hostIp))
    if (good.length > 0) await this.#makeNow(good, signal)
  }

  async #makeNow(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
    try {
      await this.#make(batch, await this.#options.slots.acquire(signal), signal)
    } catch (closed) {
      for (const { made } of batch) made.reject(closed)
    }
  }

  #goesOn(batch: readonly Waiting[], call: Promise<readonly PodPort[]>, error: unknown): void {
    const forget = this.#unanswered.add(
      batch.flatMap(({ wish }) => wish.pod?.uid ?? []),
      error,
    )
    this.#open.add(batch)
    void call
      .catch((failed: unknown) =>
        failed instanceof PartlyMade ? failed.outcomes.map((one) => (one.status === "fulfilled" ? one.value : undefined)) : [],
      )
      .then((ports) => {
        for (const [at, { wish }] of batch.entries()) {
          const port = ports[at]
          if (port !== undefined) this.#came(wish, port)
        }
      })
      .finally(() => {
        this.#open.delete(batch)
        forget()
      })
  }

  /** Whoever has asked again meanwhile, and whose wish was not sent yet, needs no other. */
  #came(wish: PortWish, port: PodPort): void {
    const again = this.#waiting.findIndex((one) => one.wish.pod?.uid === wish.pod?.uid)
    if (again === -1) this.#options.late(wish, port)
    else this.#waiting.splice(again, 1)[0]?.made.resolve(port)
  }
}
