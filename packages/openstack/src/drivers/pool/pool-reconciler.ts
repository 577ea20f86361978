import type { Clock } from "@pilothouse/seams"
import type { PoolSizes } from "../../configuration/configuration.ts"
import type { ClusterMarks } from "../creation/cluster-marks.ts"
import type { PodName, PodPort, PodVifDriver } from "../vif/pod-vif.ts"
import type { DuplicatePorts } from "./duplicate-ports.ts"
import { type KnownPod, sortPorts } from "./found-ports.ts"
import type { OrphanPorts } from "./orphan-ports.ts"
import type { PodPortRequest, PodPorts } from "./pod-ports.ts"
import type { PoolFills } from "./pool-fills.ts"
import type { PortMaintenance } from "./port-maintenance.ts"
import type { PortMarks } from "./port-marks.ts"
import type { KnownNode, RemovedNodes } from "./removed-nodes.ts"
import { poolKey, type SparePorts } from "./spare-ports.ts"

/** What the cluster says now. */
export interface ClusterView {
  pods(): readonly KnownPod[]
  /** Whether the pod is still there; left out: it is. */
  exists?(pod: PodName): boolean
  /** Left out: the nodes are unknown, and no host counts as removed. */
  nodes?(): readonly KnownNode[]
}

export interface PoolReconcilerOptions {
  readonly driver: Pick<PodVifDriver, "hostFor">
  readonly clusterMarks: ClusterMarks
  readonly clock: Clock
  readonly sizes?: PoolSizes
  readonly ports: PodPorts
  readonly spare: SparePorts
  readonly fills: PoolFills
  readonly maintenance: PortMaintenance
  readonly marks: PortMarks
  readonly orphans: OrphanPorts
  readonly duplicates: DuplicatePorts
  readonly removedNodes: RemovedNodes
  view(): ClusterView
  /** Called with a port that exists beside those in use. */
  returnSurplus(port: PodPort): void
}

/** Milliseconds after which ports that were given out get their pods' names: a burst of pods is served first, and many live no longer than that. */
const namesAfter = 2_000

/** Periodic work on the ports of pods that no caller waits for. */
export class PoolReconciler {
  readonly #options: PoolReconcilerOptions
  #namesSoon = false

  constructor(options: PoolReconcilerOptions) {
    this.#options = options
  }

  async run(period: number, signal: AbortSignal): Promise<void> {
    const { clock, duplicates, maintenance, marks, returnSurplus } = this.#options
    for (;;) {
      try {
        await clock.sleep(period, { signal, name: "pool of ports" })
      } catch {
        return
      }
      this.#returnOrphans()
      this.#returnPortsOfRemovedNodes()
      for (const port of await duplicates.found(signal)) returnSurplus(port)
      await maintenance.work(signal)
      void marks.work(signal)
      // Last: what was found needs not be made, and where something is made nothing can be found.
      this.#fillAll(signal)
    }
  }

  /** Nothing happens where no spare ports are kept, or where the node is gone. */
  fill(request: PodPortRequest, signal: AbortSignal): void {
    const { driver, sizes, fills, removedNodes } = this.#options
    const host = driver.hostFor(request)
    if (sizes !== undefined && !removedNodes.isMissing(host)) fills.start(poolKey(request, host), request, signal)
  }

  async nameSoon(signal: AbortSignal): Promise<void> {
    if (this.#namesSoon) return
    this.#namesSoon = true
    try {
      await this.#options.clock.sleep(namesAfter, { signal, name: "names for ports of the pool" })
      await this.#options.maintenance.work(signal)
    } catch {
      // It is closed.
    } finally {
      this.#namesSoon = false
    }
  }

  /** Returns the ports of pods that have not appeared since the start. A pod whose annotation names its port keeps it without a request. */
  #returnOrphans(): void {
    const { clock, clusterMarks, sizes, orphans, ports, maintenance, view } = this.#options
    const due = orphans.takeDue(clock.elapsed())
    if (due.length === 0) return
    const found = sortPorts(due, view().pods(), clusterMarks, sizes !== undefined)
    for (const [uid, port] of found.of) if (ports.of(uid) === undefined) ports.give(uid, port)
    for (const port of found.orphans) maintenance.returned(port)
  }

  /** The spare ports of nodes that are gone go: no pod will come that could have them. */
  #returnPortsOfRemovedNodes(): void {
    const { clock, driver, sizes, spare, removedNodes, ports, maintenance, view } = this.#options
    const nodes = sizes === undefined ? undefined : view().nodes?.()
    if (nodes === undefined) return
    // As long as anything of a host is here its time goes on.
    const hosts = new Set([...spare.hosts, ...maintenance.hosts, ...[...ports.requests].map((request) => driver.hostFor(request))])
    for (const host of removedNodes.update(hosts, nodes, clock.elapsed()))
      for (const port of spare.takeAll(host)) maintenance.returned(port)
  }

  #fillAll(signal: AbortSignal): void {
    const { driver, ports } = this.#options
    const byPool = new Map([...ports.requests].map((one) => [poolKey(one, driver.hostFor(one)), one]))
    for (const request of byPool.values()) this.fill(request, signal)
  }
}
