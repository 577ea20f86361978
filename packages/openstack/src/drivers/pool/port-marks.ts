import { type Log, messageOf } from "@pilothouse/seams"
import { isRefusal } from "../../clients/calls/errors.ts"
import type { PodPort } from "../vif/pod-vif.ts"

export interface PortMarksOptions {
  readonly log: Log
  /** Writes the owner's mark on the port of a pod. */
  mark(uid: string, port: PodPort, signal: AbortSignal): Promise<void>
}

/**
 * Ports in use without a mark: they would stay forever if their pods were deleted while no controller runs. No caller waits for the marks, so they
 * are written one after the other, beside other work; what fails is retried in the next round.
 * Invariant: only one round is in progress.
 */
export class PortMarks {
  readonly #options: PortMarksOptions
  readonly #unmarked = new Map<string, PodPort>()
  #underWay: { readonly uid: string; readonly done: Promise<void> } | undefined

  constructor(options: PortMarksOptions) {
    this.#options = options
  }

  add(uid: string, port: PodPort): void {
    this.#unmarked.set(uid, port)
  }

  /** The pod has released its port. Resolves when no write is in progress: a late one would mark a spare port as the pod's. */
  async gone(uid: string): Promise<void> {
    this.#unmarked.delete(uid)
    if (this.#underWay?.uid === uid) await this.#underWay.done
  }

  /** Ends early where the cloud is away. */
  async work(signal: AbortSignal): Promise<void> {
    if (this.#underWay !== undefined) return
    try {
      for (const [uid, port] of this.#unmarked) {
        const done = this.#mark(uid, port, signal)
        this.#underWay = { uid, done: done.catch(() => {}) }
        await done
      }
    } catch (error) {
      this.#options.log.warn("a port could not be marked with its owner yet", { error: messageOf(error) })
    } finally {
      this.#underWay = undefined
    }
  }

  async #mark(uid: string, port: PodPort, signal: AbortSignal): Promise<void> {
    const { mark, log } = this.#options
    try {
      await mark(uid, port, signal)
    } catch (error) {
      if (!isRefusal(error, "not-found", "forbidden", "invalid")) {
        // Behind the others: one that fails again and again keeps them for one round, and not for ever.
        if (this.#unmarked.delete(uid)) this.#unmarked.set(uid, port)
        throw error
      }
      // The port can be written neither now nor later.
      if (error.kind !== "not-found")
        log.warn("a port cannot be marked with its owner: it stays if its pod is deleted while no controller runs", {
          port: port.port.id,
          error: messageOf(error),
        })
    }
    this.#unmarked.delete(uid)
  }
}
