import { RetryAfterError } from "@pilothouse/runtime"
import { isClearRefusal } from "../create-refused.ts"
import type { PodName, PodPort, PodVifDriver, PortRequest } from "../vif/pod-vif.ts"
import { PortBatches, type PortBatchesOptions } from "./port-batches.ts"

export type PortCreatorOptions = Omit<PortBatchesOptions, "create"> & { readonly driver: PodVifDriver }

/**
 * Makes the ports of pods, many in one call: whoever asks again while one is made waits for that one, and one whose answer was lost is looked for before
 * another is made. Two for one pod only where the cloud has not answered for longer than patience.ts says: the one that is too many goes.
 * Always true between calls: #doubtful has the pods of which nobody knows whether their port was made.
 */
export class PortCreator {
  readonly #driver: PodVifDriver
  readonly #batches: PortBatches
  readonly #creating = new Map<string, Promise<PodPort>>()
  readonly #doubtful = new Set<string>()

  constructor({ driver, ...options }: PortCreatorOptions) {
    this.#driver = driver
    this.#batches = new PortBatches({
      ...options,
      create: (requests, signal) => driver.create(requests, signal),
      late: (request, port) => {
        this.#doubtful.delete(request.pod?.uid ?? "")
        options.late(request, port)
      },
    })
  }

  /**
   * `made` is told before anybody who waits, and says which port is the pod's. While the cloud may still be at the last one, it fails with what
   * whoever waited for that was told.
   */
  create(request: PortRequest & { readonly pod: PodName }, signal: AbortSignal, onCreated: (port: PodPort) => PodPort): Promise<PodPort> {
    const { uid } = request.pod
    const inProgress = this.inProgress(uid)
    if (inProgress !== undefined) return inProgress
    const waitReason = this.#batches.waitReason(uid)
    if (waitReason !== undefined) {
      this.#doubtful.add(uid)
      return Promise.reject(waitReason)
    }
    const creating = this.#batches
      .create(request, signal)
      .then((port) => {
        this.#doubtful.delete(uid)
        return onCreated(port)
      })
      .catch((error: unknown) => {
        if (!isClearRefusal(error)) this.#doubtful.add(uid)
        throw error
      })
      .finally(() => this.#creating.delete(uid))
    this.#creating.set(uid, creating)
    return creating
  }

  /** The port that is being made for the pod. */
  inProgress(uid: string): Promise<PodPort> | undefined {
    return this.#creating.get(uid)
  }

  /** Ends when nobody waits for a port of the pod any more, however it ended. */
  async settled(uid: string): Promise<void> {
    await this.#creating.get(uid)?.catch(() => {})
  }

  /** Why nobody may have what there is of the pod's port, nor take it away: it takes more than one call, and whoever makes those is still at it. */
  incompleteReason(uid: string): Error | undefined {
    if (this.#driver.complete === undefined || !this.#doubtful.has(uid) || !this.#batches.isCreating(uid)) return undefined
    return new RetryAfterError("10s", "the cloud has not answered yet whether it has made the port")
  }

  /** Whether a call is unanswered that makes a port for the pod. */
  isCreating(uid: string): boolean {
    return this.#batches.isCreating(uid)
  }

  /** The port whose answer was lost, if it was made: whatever says that it is the pod's. More than one is too many. */
  async find(pod: PodName, signal: AbortSignal): Promise<readonly PodPort[]> {
    if (!this.#doubtful.has(pod.uid) || this.incompleteReason(pod.uid) !== undefined) return []
    const found = await this.#driver.find(pod, signal)
    this.#doubtful.delete(pod.uid)
    return found
  }
}
