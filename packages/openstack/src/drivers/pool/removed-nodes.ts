import type { PodVifDriver } from "../vif/pod-vif.ts"

/** A node of the cluster, ready or not. */
export interface KnownNode {
  readonly name: string
  readonly addresses: readonly string[]
}

export interface RemovedNodesOptions {
  readonly driver: Pick<PodVifDriver, "hostFor">
  /** Milliseconds that a host has to be without a node before it counts as removed: nodes may be registered again. */
  readonly grace: number
}

/**
 * Hosts of ports that are no longer nodes of the cluster. A node that is not ready is still a node.
 * Invariant: #since has the hosts that were without a node at the last update, and since when.
 */
export class RemovedNodes {
  readonly #options: RemovedNodesOptions
  #since: ReadonlyMap<string, number> = new Map()

  constructor(options: RemovedNodesOptions) {
    this.#options = options
  }

  /** Those of them that have been without a node for so long that they are gone. */
  update(hosts: Iterable<string>, nodes: readonly KnownNode[], now: number): readonly string[] {
    const there = this.#hostsFor(nodes)
    const missing = there === undefined ? [] : [...hosts].filter((host) => !there.has(host))
    this.#since = new Map(missing.map((host) => [host, this.#since.get(host) ?? now]))
    return missing.filter((host) => this.isGone(host, now))
  }

  /** There was no node at the last update: no port is created for the host. */
  isMissing(host: string): boolean {
    return this.#since.has(host)
  }

  isGone(host: string, now: number): boolean {
    const since = this.#since.get(host)
    return since !== undefined && now - since >= this.#options.grace
  }

  /** Undefined: unknown, since a node has not yet published the address by which its ports are found. */
  #hostsFor(nodes: readonly KnownNode[]): ReadonlySet<string> | undefined {
    const { driver } = this.#options
    const hosts = nodes.map(({ name: node, addresses }) =>
      (addresses.length === 0 ? [""] : addresses).map((hostIp) => driver.hostFor({ node, hostIp })),
    )
    return hosts.some((some) => some.includes("")) ? undefined : new Set(hosts.flat())
  }
}
