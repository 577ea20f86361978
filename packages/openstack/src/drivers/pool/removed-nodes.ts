import type { PodVifDriver } from "../vif/pod-vif.ts"

/** A node of the cluster, ready or not. */
export interface KnownNode {
  readonly name: string
  readonly addresses: readonly string[]
}

export interface RemovedNodesOptions {
  readonly driver: Pick<PodVifDriver, "hostFor">
  /** Milliseconds that a host has to be without a node before it counts as gone: nodes get made anew. */
  readonly grace: number
}

/**
 * Hosts of ports that no node of the cluster is any more. One that is not ready is still a node.
 * Always true between calls: #since has the hosts that were without a node when they were last looked at, and when that began.
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

  /** No node was there at the last look: nothing is made for it. */
  isMissing(host: string): boolean {
    return this.#since.has(host)
  }

  isGone(host: string, now: number): boolean {
    const since = this.#since.get(host)
    return since !== undefined && now - since >= this.#options.grace
  }

  /** Undefined: nobody can say, since a node has not told its address yet by which its ports are known. */
  #hostsFor(nodes: readonly KnownNode[]): ReadonlySet<string> | undefined {
    const { driver } = this.#options
    const hosts = nodes.map(({ name: node, addresses }) =>
      (addresses.length === 0 ? [""] : addresses).map((hostIp) => driver.hostFor({ node, hostIp })),
    )
    return hosts.some((some) => some.includes("")) ? undefined : new Set(hosts.flat())
  }
}
