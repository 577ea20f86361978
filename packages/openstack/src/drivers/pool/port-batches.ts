import { abortable, type Clock, type Semaphore } from "@pilothouse/seams"
import { withCallTimeout } from "../../clients/with-timeout.ts"
import { isClearRefusal, PodGone } from "../create-refused.ts"
import { InFlightCreates } from "../in-flight-creates.ts"
import { createTimeout, inFlightGrace } from "../timeouts.ts"
import { NodesNotReady } from "../vif/parent-ports.ts"
import { PartialCreateError } from "../vif/partial-create-error.ts"
import type { PodPort, PortRequest } from "../vif/pod-vif.ts"

export type Create = (requests: readonly PortRequest[], signal: AbortSignal) => Promise<readonly PodPort[]>

export interface PortBatchesOptions {
  readonly create: Create
  readonly clock: Clock
  /** One for every create that the cloud has not answered, whoever asked for it and whether or not anybody still waits. */
  readonly slots: Semaphore
  /** Whether the pod is still there. */
  isNeeded(request: PortRequest): boolean
  /** Somebody's port after all, when nobody waits for it any more. */
  late(request: PortRequest, port: PodPort): void
  /** Nobody knows what a call has made, or will make: it ended without an answer. */
  lost(): void
}

interface Waiting {
  readonly request: PortRequest
  readonly created: PromiseWithResolvers<PodPort>
}

/** So many ports in one call: Neutron makes them one after the other anyway, and the last of a batch waits for all of it. */
export const maxBatch = 10
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
  readonly #inFlight: InFlightCreates
  /** What goes on though nobody waits for it; no more than there are slots. */
  readonly #open = new Set<readonly Waiting[]>()
  #workers = 0

  constructor(options: PortBatchesOptions) {
    this.#options = options
    this.#inFlight = new InFlightCreates(options.clock, inFlightGrace)
  }

  create(request: PortRequest, signal: AbortSignal): Promise<PodPort> {
    const created = Promise.withResolvers<PodPort>()
    this.#waiting.push({ request, created })
    if (this.#workers < callsAtOnce) void this.#work(signal)
    return created.promise
  }

  /** Why no other port may be made for a pod yet: the cloud is still at the last one. */
  waitReason(uid: string): Error | undefined {
    return this.#inFlight.of(uid)
  }

  /** Whether a call is unanswered that makes a port for the pod. */
  isCreating(uid: string): boolean {
    return [...this.#open].some((batch) => batch.some(({ request }) => request.pod?.uid === uid))
  }

  async #work(signal: AbortSignal): Promise<void> {
    this.#workers++
    while (this.#waiting.length > 0) {
      try {
        const slot = await this.#options.slots.acquire(signal)
        await this.#createBatch(this.#next(), slot, signal)
      } catch (closed) {
        for (const { created } of this.#waiting.splice(0)) created.reject(closed)
      }
    }
    this.#workers--
  }

  /** Those that have waited longest. Nothing is asked for where the pod went while it waited: others wait behind it. */
  #next(): readonly Waiting[] {
    for (const one of this.#waiting.splice(0))
      if (this.#options.isNeeded(one.request)) this.#waiting.push(one)
      else one.created.reject(new PodGone())
    return this.#waiting.splice(0, maxBatch)
  }

  async #createBatch(batch: readonly Waiting[], slot: Disposable, signal: AbortSignal): Promise<void> {
    let isAnswered = false
    const call = this.#call(batch, signal).finally(() => {
      isAnswered = true
      slot[Symbol.dispose]()
    })
    const limit = { clock: this.#options.clock, timeout: `${createTimeout(batch.length) / 1000}s`, what: "POST /v2.0/ports" } as const
    try {
      const ports = await withCallTimeout(limit, (late) => abortable(call, late))
      for (const [at, { created }] of batch.entries()) created.resolve(ports[at]!)
    } catch (error) {
      if (!isAnswered) this.#detach(batch, call, error)
      // One bad wish spoils a bulk create: the others must not suffer from it.
      if (isAnswered && error instanceof PartialCreateError) await this.#partial(batch, error, signal)
      else if (isAnswered && error instanceof NodesNotReady) await this.#withoutNodes(batch, error, signal)
      else if (isAnswered && batch.length > 1 && isClearRefusal(error)) await this.#createEach(batch, signal)
      else for (const { created } of batch) created.reject(error)
    }
  }

  async #call(batch: readonly Waiting[], signal: AbortSignal): Promise<readonly PodPort[]> {
    try {
      return batch.length === 0
        ? []
        : await this.#options.create(
            batch.map(({ request }) => request),
            signal,
          )
    } catch (error) {
      if (error instanceof PartialCreateError ? error.isDoubtful : !isClearRefusal(error)) this.#options.lost()
      throw error
    }
  }

  /** Those that were made are had; of the others each may still be possible without the rest. */
  async #partial(batch: readonly Waiting[], { outcomes, isDoubtful }: PartialCreateError, signal: AbortSignal): Promise<void> {
    const refused = batch.filter((_, at) => outcomes[at]?.status === "rejected")
    const isWorthIt = refused.length > 1 && !isDoubtful
    for (const [at, { created }] of batch.entries()) {
      const one = outcomes[at]!
      if (one.status === "fulfilled") created.resolve(one.value)
      else if (!isWorthIt) created.reject(one.reason)
    }
    if (isWorthIt) await this.#createEach(refused, signal)
  }

  async #createEach(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
    for (const one of batch) await this.#createNow([one], signal)
  }

  async #withoutNodes(batch: readonly Waiting[], { reasons }: NodesNotReady, signal: AbortSignal): Promise<void> {
    const [bad = [], good = []] = [true, false].map((isBad) => batch.filter(({ request }) => reasons.has(request.hostIp) === isBad))
    for (const { request, created } of bad) created.reject(reasons.get(request.hostIp))
    if (good.length > 0) await this.#createNow(good, signal)
  }

  async #createNow(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
    try {
      await this.#createBatch(batch, await this.#options.slots.acquire(signal), signal)
    } catch (closed) {
      for (const { created } of batch) created.reject(closed)
    }
  }

  #detach(batch: readonly Waiting[], call: Promise<readonly PodPort[]>, error: unknown): void {
    const forget = this.#inFlight.add(
      batch.flatMap(({ request }) => request.pod?.uid ?? []),
      error,
    )
    this.#open.add(batch)
    void call
      .catch((failed: unknown) =>
        failed instanceof PartialCreateError ? failed.outcomes.map((one) => (one.status === "fulfilled" ? one.value : undefined)) : [],
      )
      .then((ports) => {
        for (const [at, { request }] of batch.entries()) {
          const port = ports[at]
          if (port !== undefined) this.#deliverLate(request, port)
        }
      })
      .finally(() => {
        this.#open.delete(batch)
        forget()
      })
  }

  /** Whoever has asked again meanwhile, and whose wish was not sent yet, needs no other. */
  #deliverLate(request: PortRequest, port: PodPort): void {
    const again = this.#waiting.findIndex((one) => one.request.pod?.uid === request.pod?.uid)
    if (again === -1) this.#options.late(request, port)
    else this.#waiting.splice(again, 1)[0]?.created.resolve(port)
  }
}
