import type { Pod } from "@pilothouse/api/core/v1"
import type { Log } from "@pilothouse/seams"
import { type MeshNetworks, noNetworks } from "./mesh-networks.ts"
import { PrefixTrie } from "./prefix-trie.ts"

/** The label that names the network of a namespace, node, pod or gateway. */
export const networkLabel = "topology.istio.io/network"

/** The cluster and its network. */
export interface NetworksOptions {
  readonly cluster: string
  /** Where nothing else says it. */
  readonly network: string
  readonly log: Log
}

/**
 * In which network an endpoint is: what its pod's label says, else the label of the system namespace, else what the mesh says of its cluster,
 * else of its address, else the registry's own.
 *
 * Invariant: the trie has exactly the ranges of #mesh.
 */
export class Networks {
  readonly #options: NetworksOptions
  readonly #warned = new Set<string>()
  #mesh: MeshNetworks = noNetworks
  #trie = new PrefixTrie()
  #ofRegistry: string | undefined
  #ofSystem: string | undefined

  constructor(options: NetworksOptions) {
    this.#options = options
  }

  get mesh(): MeshNetworks {
    return this.#mesh
  }

  follow(mesh: MeshNetworks): void {
    this.#mesh = mesh
    this.#trie = new PrefixTrie()
    this.#warned.clear()
    this.#ofRegistry = undefined
    for (const [name, { ranges, registries }] of mesh) {
      for (const range of ranges) this.#trie.add(range, name)
      if (registries.includes(this.#options.cluster)) this.#ofRegistry ??= name
    }
  }

  /** What the label of the system namespace says. True when that is something else than before. */
  systemSays(network: string | undefined): boolean {
    const before = this.#ofSystem
    this.#ofSystem = network === "" ? undefined : network
    return this.#ofSystem !== before
  }

  of(address: string, pod: Pod | undefined): string {
    const labelled = pod?.metadata.labels?.[networkLabel]
    if (labelled !== undefined && labelled !== "") return labelled
    return this.#ofSystem ?? this.#ofRegistry ?? this.#byAddress(address) ?? this.#options.network
  }

  #byAddress(address: string): string | undefined {
    const all = this.#trie.containing(address)
    const several = new Set(all).size > 1
    // Once for each such pair: an address is asked about again and again.
    if (several && !this.#warned.has(all.join())) {
      this.#warned.add(all.join())
      this.#options.log.warn(`the address ${address} is in the ranges of several networks; the smallest range counts`, {
        address,
        networks: all,
      })
    }
    return all[0]
  }
}
