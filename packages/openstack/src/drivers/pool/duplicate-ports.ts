import { type Clock, type Log, messageOf } from "@pilothouse/seams"
import { type ClusterMarks, isOfCluster, markedOwner } from "../creation/cluster-marks.ts"
import { type PodPort, type PodVifDriver, spareName } from "../vif/pod-vif.ts"

/** What is known at one moment. */
export interface KnownPorts {
  /** The port is in use or reserved. */
  has(port: PodPort): boolean
  /** Unknown: ports are being created on its host, or for its pod. */
  mayHave(port: PodPort): boolean
}

export interface DuplicatePortsOptions {
  readonly driver: Pick<PodVifDriver, "list">
  readonly clusterMarks: ClusterMarks
  readonly clock: Clock
  readonly log: Log
  podPort(uid: string): PodPort | undefined
  known(): KnownPorts
  /** The ports that annotations of pods name: they are in use, whatever wrote the annotation. Called only before a port would be deleted. */
  annotated(): ReadonlySet<string>
}

/** Milliseconds after a suspicion at which the ports are listed again. Neutron continues with creates that no caller waits for. */
const listDelays = [15_000, 50_000, 120_000, 300_000]
/** Milliseconds until the next one where something could not be judged and no other is due. */
const relistDelay = 120_000
/** Milliseconds within which one list serves two suspicions. */
const together = 10_000

/**
 * Ports without a known create: a process was killed while it created them, after its successor had listed; or the response was lost.
 * Invariant: #due has the times of the next lists, soonest first.
 */
export class DuplicatePorts {
  readonly #options: DuplicatePortsOptions
  #due: readonly number[] = []

  constructor(options: DuplicatePortsOptions) {
    this.#options = options
  }

  /** There may be some, made by now or soon. */
  suspect(): void {
    const now = this.#options.clock.elapsed()
    const more = listDelays.map((after) => now + after).filter((at) => !this.#due.some((one) => Math.abs(one - at) < together))
    this.#due = [...this.#due, ...more].toSorted((one, other) => one - other)
  }

  /** Returns the surplus ports: second ports of pods, and spare ports that the pool does not know. Empty where no list is due. */
  async found(signal: AbortSignal): Promise<readonly PodPort[]> {
    if (!this.#isDue()) return []
    try {
      const before = this.#options.known()
      const ports = await this.#options.driver.list(signal)
      const now = this.#options.known()
      // The list is older than what has happened since: a surplus port of the list may be in use by now.
      const unknown = ports.filter((one) => !before.has(one) && !now.has(one) && (this.#isSecond(one) || this.#isSpare(one)))
      const sure = unknown.filter((one) => !before.mayHave(one) && !now.mayHave(one))
      if (sure.length < unknown.length) this.#scheduleRelist()
      const inUse = sure.length === 0 ? undefined : this.#options.annotated()
      return sure.filter(({ port }) => !inUse?.has(port.id))
    } catch (error) {
      this.#options.log.warn("ports could not be listed once more", { error: messageOf(error) })
      this.suspect()
      return []
    }
  }

  /** The answer about those that are being made may still come. */
  #scheduleRelist(): void {
    if (this.#due.length === 0) this.#due = [this.#options.clock.elapsed() + relistDelay]
  }

  /** Returns true once for each due list. */
  #isDue(): boolean {
    const now = this.#options.clock.elapsed()
    const left = this.#due.filter((at) => at > now)
    const isDue = left.length < this.#due.length
    this.#due = left
    return isDue
  }

  #isSecond({ port }: PodPort): boolean {
    const its = this.#options.podPort(markedOwner(port) ?? "")
    return isOfCluster(port, this.#options.clusterMarks) && its !== undefined && its.port.id !== port.id
  }

  #isSpare({ port }: PodPort): boolean {
    return port.name === spareName && markedOwner(port) === undefined && isOfCluster(port, this.#options.clusterMarks)
  }
}
