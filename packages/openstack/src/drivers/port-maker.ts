import { RetryAfterError } from "@pilothouse/runtime"
import { isClearRefusal } from "./nothing-made.ts"
import type { PodName, PodPort, PodVifDriver, PortWish } from "./pod-vif.ts"
import { PortBatches, type PortBatchesOptions } from "./port-batches.ts"

export type PortMakerOptions = Omit<PortBatchesOptions, "create"> & { readonly driver: PodVifDriver }

/**
 * Makes the ports of pods, many in one call: whoever asks again while one is made waits for that one, and one whose answer was lost is looked for before
 * another is made. Two for one pod only where the cloud has not answered for longer than patience.ts says: the one that is too many goes.
 * Always true between calls: #doubtful has the pods of which nobody knows whether their port was made.
 */
export class PortMaker {
  readonly #driver: PodVifDriver
  readonly #batches: PortBatches
  readonly #making = new Map<string, Promise<PodPort>>()
  readonly #doubtful = new Set<string>()

  constructor({ driver, ...options }: PortMakerOptions) {
    this.#driver = driver
    this.#batches = new PortBatches({
      ...options,
      create: (wishes, signal) => driver.create(wishes, signal),
      late: (wish, port) => {
        this.#doubtful.delete(wish.pod?.uid ?? "")
        options.late(wish, port)
      },
    })
  }

  /**
   * `made` is told before anybody who waits, and says which port is the pod's. While the cloud may still be at the last one, it fails with what
   * whoever waited for that was told.
   */
  make(wish: PortWish & { readonly pod: PodName }, signal: AbortSignal, made: (port: PodPort) => PodPort): Promise<PodPort> {
    const { uid } = wish.pod
    const underWay = this.underWay(uid)
    if (underWay !== undefined) return underWay
    const notYet = this.#batches.whyNotYet(uid)
    if (notYet !== undefined) {
      this.#doubtful.add(uid)
      return Promise.reject(notYet)
    }
    const making = this.#batches
      .create(wish, signal)
      .then((port) => {
        this.#doubtful.delete(uid)
        return made(port)
      })
      .catch((error: unknown) => {
        if (!isClearRefusal(error)) this.#doubtful.add(uid)
        throw error
      })
      .finally(() => this.#making.delete(uid))
    this.#making.set(uid, making)
    return making
  }

  /** The port that is being made for the pod. */
  underWay(uid: string): Promise<PodPort> | undefined {
    return this.#making.get(uid)
  }

  /** Ends when nobody waits for a port of the pod any more, however it ended. */
  async settled(uid: string): Promise<void> {
    await this.#making.get(uid)?.catch(() => {})
  }

  /** Why nobody may have what there is of the pod's port, nor take it away: it takes more than one call, and whoever makes those is still at it. */
  whyHalfMade(uid: string): Error | undefined {
    if (this.#driver.complete === undefined || !this.#doubtful.has(uid) || !this.#batches.isAtIt(uid)) return undefined
    return new RetryAfterError("10s", "the cloud has not answered yet whether it has made the port")
  }

  /** Whether a call is unanswered that makes a port for the pod. */
  isAtIt(uid: string): boolean {
    return this.#batches.isAtIt(uid)
  }

  /** The port whose answer was lost, if it was made: whatever says that it is the pod's. More than one is too many. */
  async find(pod: PodName, signal: AbortSignal): Promise<readonly PodPort[]> {
    if (!this.#doubtful.has(pod.uid) || this.whyHalfMade(pod.uid) !== undefined) return []
    const found = await this.#driver.find(pod, signal)
    this.#doubtful.delete(pod.uid)
    return found
  }
}
