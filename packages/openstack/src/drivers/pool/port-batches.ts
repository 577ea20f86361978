import { abortable, type Clock, type Semaphore } from "@pilothouse/seams"
import { withCallTimeout } from "../../clients/calls/call-timeout.ts"
import { isClearRefusal, PodGone } from "../creation/create-refused.ts"
import { InFlightCreates } from "../creation/in-flight-creates.ts"
import { createTimeout, inFlightGrace } from "../creation/timeouts.ts"
import { NodesNotReady } from "../vif/parent-ports.ts"
import { PartialCreateError } from "../vif/partial-create-error.ts"
import type { PodPort, PortRequest } from "../vif/pod-vif.ts"

export type Create = (requests: readonly PortRequest[], signal: AbortSignal) => Promise<readonly PodPort[]>

export interface PortBatchesOptions {
  readonly create: Create
  readonly clock: Clock
  /** One for every create without a response, whether or not a caller still waits for it. */
  readonly slots: Semaphore
  /** Whether the pod is still there. */
  isNeeded(request: PortRequest): boolean
  /** Called with a port whose caller does not wait any more. */
  late(request: PortRequest, port: PodPort): void
  /** Called where it is unknown what a call has created, or will create: it ended without a response. */
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
 * Puts requests that come while calls are in progress into one call: a burst of 50 pods costs a few bulk creates. A caller that waits too long gets
 * an error; the call goes on, as the cloud does, and what it creates is used.
 * Invariant: no request waits while fewer calls than allowed are in progress and a slot is free.
 */
export class PortBatches {
  readonly #options: PortBatchesOptions
  readonly #waiting: Waiting[] = []
  readonly #inFlight: InFlightCreates
  /** Calls in progress that no caller waits for; no more than there are slots. */
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
      // One invalid request fails a bulk create: the other requests are sent again without it.
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

  /** A pod that has requested again, and whose second request was not sent yet, gets this port. */
  #deliverLate(request: PortRequest, port: PodPort): void {
    const again = this.#waiting.findIndex((one) => one.request.pod?.uid === request.pod?.uid)
    if (again === -1) this.#options.late(request, port)
    else this.#waiting.splice(again, 1)[0]?.created.resolve(port)
  }
}
