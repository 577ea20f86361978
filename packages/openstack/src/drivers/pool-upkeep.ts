import type { Clock } from "@pilothouse/seams"
import type { PoolSizes } from "../configuration/configuration.ts"
import type { DepartedHosts, KnownNode } from "./departed-hosts.ts"
import { type KnownPod, sortPorts } from "./found-ports.ts"
import type { Identity } from "./identity.ts"
import type { OrphanPorts } from "./orphan-ports.ts"
import type { PodPorts, PodWish } from "./pod-ports.ts"
import type { PodName, PodPort, PodVifDriver } from "./pod-vif.ts"
import type { PoolFills } from "./pool-fills.ts"
import type { PortChores } from "./port-chores.ts"
import type { PortMarks } from "./port-marks.ts"
import { poolKey, type SparePorts } from "./spare-ports.ts"
import type { TwinPorts } from "./twin-ports.ts"

/** What the cluster says now. */
export interface ClusterView {
  pods(): readonly KnownPod[]
  /** Whether the pod is still there; left out: it is. */
  exists?(pod: PodName): boolean
  /** Left out: nobody knows, and no host counts as gone. */
  nodes?(): readonly KnownNode[]
}

export interface PoolUpkeepOptions {
  readonly driver: Pick<PodVifDriver, "hostOf">
  readonly identity: Identity
  readonly clock: Clock
  readonly sizes?: PoolSizes
  readonly ports: PodPorts
  readonly spare: SparePorts
  readonly fills: PoolFills
  readonly chores: PortChores
  readonly marks: PortMarks
  readonly orphans: OrphanPorts
  readonly twins: TwinPorts
  readonly departed: DepartedHosts
  view(): ClusterView
  /** What was found beside what everybody has. */
  tooMany(port: PodPort): void
}

/** Milliseconds after which ports that were given out get their pods' names: a burst of pods is served first, and many live no longer than that. */
const namesAfter = 2_000

/** What is done for the ports of pods from time to time, and nobody waits for. */
export class PoolUpkeep {
  readonly #options: PoolUpkeepOptions
  #namesSoon = false

  constructor(options: PoolUpkeepOptions) {
    this.#options = options
  }

  async beats(beat: number, signal: AbortSignal): Promise<void> {
    const { clock, twins, chores, marks, tooMany } = this.#options
    for (;;) {
      try {
        await clock.sleep(beat, { signal, name: "pool of ports" })
      } catch {
        return
      }
      this.#takeOrphans()
      this.#giveUpDeparted()
      for (const port of await twins.found(signal)) tooMany(port)
      await chores.work(signal)
      void marks.work(signal)
      // Last: what was found needs not be made, and where something is made nothing can be found.
      this.#fillAll(signal)
    }
  }

  /** Nothing happens where no spare ports are kept, or where the node is gone. */
  fill(wish: PodWish, signal: AbortSignal): void {
    const { driver, sizes, fills, departed } = this.#options
    const host = driver.hostOf(wish)
    if (sizes !== undefined && !departed.isMissing(host)) fills.start(poolKey(wish, host), wish, signal)
  }

  async nameSoon(signal: AbortSignal): Promise<void> {
    if (this.#namesSoon) return
    this.#namesSoon = true
    try {
      await this.#options.clock.sleep(namesAfter, { signal, name: "names for ports of the pool" })
      await this.#options.chores.work(signal)
    } catch {
      // It is closed.
    } finally {
      this.#namesSoon = false
    }
  }

  /** Those of pods that nobody has heard of since the start go. The others' annotations may name them, and then nobody asks for them. */
  #takeOrphans(): void {
    const { clock, identity, sizes, orphans, ports, chores, view } = this.#options
    const due = orphans.takeDue(clock.elapsed())
    if (due.length === 0) return
    const found = sortPorts(due, view().pods(), identity, sizes !== undefined)
    for (const [uid, port] of found.of) if (ports.of(uid) === undefined) ports.give(uid, port)
    for (const port of found.orphans) chores.returned(port)
  }

  /** The spare ports of nodes that are gone go: no pod will come that could have them. */
  #giveUpDeparted(): void {
    const { clock, driver, sizes, spare, departed, ports, chores, view } = this.#options
    const nodes = sizes === undefined ? undefined : view().nodes?.()
    if (nodes === undefined) return
    // As long as anything of a host is here its time goes on.
    const hosts = new Set([...spare.hosts, ...chores.hosts, ...[...ports.wishes].map((wish) => driver.hostOf(wish))])
    for (const host of departed.look(hosts, nodes, clock.elapsed())) for (const port of spare.takeAll(host)) chores.returned(port)
  }

  #fillAll(signal: AbortSignal): void {
    const { driver, ports } = this.#options
    const byPool = new Map([...ports.wishes].map((one) => [poolKey(one, driver.hostOf(one)), one]))
    for (const wish of byPool.values()) this.fill(wish, signal)
  }
}
