import { type Log, messageOf } from "@pilothouse/seams"
import { isRefusal } from "../../clients/errors.ts"
import type { PodPort } from "../vif/pod-vif.ts"

export interface PortMarksOptions {
  readonly log: Log
  /** Writes on the port of a pod whose it is. */
  mark(uid: string, port: PodPort, signal: AbortSignal): Promise<void>
}

/**
 * Ports that pods use and that do not say so: without a word they would stay for ever, were their pods deleted while nobody runs. Nobody waits for it, so
 * one after the other, beside everything else; what fails is left for the next time.
 * Always true between calls: only one round is under way.
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

  /** The pod has given its port back. Ends when nobody writes on it any more: what comes late would say that a spare port is the pod's. */
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
      this.#options.log.warn("a port could not be told whose it is yet", { error: messageOf(error) })
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
      // Nobody may write on it, now or later.
      if (error.kind !== "not-found")
        log.warn("a port cannot be told whose it is: it stays, should its pod go while nobody runs", {
          port: port.port.id,
          error: messageOf(error),
        })
    }
    this.#unmarked.delete(uid)
  }
}
