import { type Clock, type Log, messageOf } from "@pilothouse/seams"
import { type ClusterMarks, isOfCluster, markedOwner } from "../cluster-marks.ts"
import { type PodPort, type PodVifDriver, spareName } from "../vif/pod-vif.ts"

/** What is known at one moment. */
export interface KnownPorts {
  /** Somebody has it or will have it. */
  has(port: PodPort): boolean
  /** Nobody can say: ports are being made where it is, or for its pod. */
  mayHave(port: PodPort): boolean
}

export interface DuplicatePortsOptions {
  readonly driver: Pick<PodVifDriver, "list">
  readonly clusterMarks: ClusterMarks
  readonly clock: Clock
  readonly log: Log
  podPort(uid: string): PodPort | undefined
  known(): KnownPorts
  /** The ports that the annotations of pods name: whoever wrote them, those are in use. Asked only where one would be taken away. */
  annotated(): ReadonlySet<string>
}

/** When the ports are listed again, in milliseconds after it was suspected. Neutron goes on with what nobody waits for any more. */
const listDelays = [15_000, 50_000, 120_000, 300_000]
/** Milliseconds until the next one where something could not be judged and no other is due. */
const relistDelay = 120_000
/** Milliseconds within which one look does for two. */
const together = 10_000

/**
 * Ports that came about unheard of: a process was killed while it made them, and they came after its successor had looked; or the answer was lost.
 * Always true between calls: #due has when to look, soonest first.
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

  /** Those that are too many: second ports of pods, and spare ones that nobody knows of. None where it is not time to look. */
  async found(signal: AbortSignal): Promise<readonly PodPort[]> {
    if (!this.#isDue()) return []
    try {
      const before = this.#options.known()
      const ports = await this.#options.driver.list(signal)
      const now = this.#options.known()
      // What the list says is older than what has happened since: one that was too many then may be somebody's by now.
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

  /** True once for each look. */
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
