import { type Log, messageOf } from "@pilothouse/seams"
import type { PodPort, PortRequest } from "../vif/pod-vif.ts"

type Work = (signal: AbortSignal) => Promise<void>

interface Naming {
  readonly port: PodPort
  readonly request: PortRequest
}

export interface Returned {
  readonly port: PodPort
  readonly request?: PortRequest
}

export interface PortMaintenanceOptions {
  readonly log: Log
  /** Writes a pod's name on the port that it was given. */
  name(uid: string, naming: Naming, signal: AbortSignal): Promise<void>
  /** Whether a port that came back is kept as a spare one. */
  keeps(returned: Returned): boolean
  recycle(returned: Returned, signal: AbortSignal): Promise<void>
  remove(port: PodPort, signal: AbortSignal): Promise<void>
}

/**
 * Work that no caller waits for: names for ports that were assigned, and ports that were returned. A failure is retried in the next round.
 * Invariant: a port is in at most one of the two maps, and only one round is in progress.
 */
export class PortMaintenance {
  readonly #options: PortMaintenanceOptions
  readonly #unnamed = new Map<string, Naming>()
  readonly #returned = new Map<string, Returned>()
  #busy = false

  constructor(options: PortMaintenanceOptions) {
    this.#options = options
  }

  /** The pod of this UID was given the port. */
  given(uid: string, naming: Naming): void {
    this.#unnamed.set(uid, naming)
  }

  /** The pod is deleted: its port needs no name. */
  gone(uid: string): void {
    this.#unnamed.delete(uid)
  }

  returned(port: PodPort, request?: PortRequest): void {
    this.#returned.set(port.port.id, { port, request })
  }

  /** The ports that came back and were not dealt with yet. */
  get ids(): Iterable<string> {
    return this.#returned.keys()
  }

  /** Where those are. */
  get hosts(): readonly string[] {
    return [...this.#returned.values()].flatMap(({ port }) => port.host ?? [])
  }

  async work(signal: AbortSignal): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    for (const [uid, naming] of this.#unnamed) {
      await this.#try("a port could not be given its pod's name yet", signal, async () => {
        await this.#options.name(uid, naming, signal)
        if (this.#unnamed.get(uid) === naming) this.#unnamed.delete(uid)
      })
    }
    await this.#handleReturned(signal)
    this.#busy = false
  }

  async #handleReturned(signal: AbortSignal): Promise<void> {
    const surplus: PodPort[] = []
    for (const [id, one] of this.#returned) {
      if (!this.#options.keeps(one)) surplus.push(one.port)
      else
        await this.#try("a port could not be made a spare one yet", signal, async () => {
          await this.#options.recycle(one, signal)
          this.#returned.delete(id)
        })
    }
    // In parallel: ports of one host share their calls, and one that cannot be deleted does not delay the others.
    const gone = surplus.map((port) =>
      this.#try("a port could not be removed yet", signal, async () => {
        await this.#options.remove(port, signal)
        this.#returned.delete(port.port.id)
      }),
    )
    await Promise.all(gone)
  }

  async #try(failed: string, signal: AbortSignal, work: Work): Promise<void> {
    try {
      await work(signal)
    } catch (error) {
      this.#options.log.warn(failed, { error: messageOf(error) })
    }
  }
}
