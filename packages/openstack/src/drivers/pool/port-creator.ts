import { RetryAfterError } from "@pilothouse/runtime"
import { isClearRefusal } from "../creation/create-refused.ts"
import type { PodName, PodPort, PodVifDriver, PortRequest } from "../vif/pod-vif.ts"
import { PortBatches, type PortBatchesOptions } from "./port-batches.ts"

export type PortCreatorOptions = Omit<PortBatchesOptions, "create"> & { readonly driver: PodVifDriver }

/**
 * Creates the ports of pods, many in one call: a second request for a pod waits for the create in progress, and a port whose response was lost is
 * searched for before another is created. Two ports for one pod come about only after the timeouts of timeouts.ts; the surplus one is deleted.
 * Invariant: #doubtful has the pods of which it is unknown whether their port was created.
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
   * `onCreated` runs before the waiting callers resume, and returns the port of the pod. While the last create may still be in progress, it fails
   * with the error that the caller of that create received.
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

  /** Resolves when no caller waits for a port of the pod any more, whatever the result. */
  async settled(uid: string): Promise<void> {
    await this.#creating.get(uid)?.catch(() => {})
  }

  /** Why the pod's port can be neither used nor deleted: it takes more than one call, and these are still in progress. */
  incompleteReason(uid: string): Error | undefined {
    if (this.#driver.complete === undefined || !this.#doubtful.has(uid) || !this.#batches.isCreating(uid)) return undefined
    return new RetryAfterError("10s", "the cloud has not answered yet whether it has made the port")
  }

  /** Whether a call is unanswered that makes a port for the pod. */
  isCreating(uid: string): boolean {
    return this.#batches.isCreating(uid)
  }

  /** Returns the port whose response was lost, if it was created: every port that is marked for the pod. All but one are surplus. */
  async find(pod: PodName, signal: AbortSignal): Promise<readonly PodPort[]> {
    if (!this.#doubtful.has(pod.uid) || this.incompleteReason(pod.uid) !== undefined) return []
    const found = await this.#driver.find(pod, signal)
    this.#doubtful.delete(pod.uid)
    return found
  }
}
