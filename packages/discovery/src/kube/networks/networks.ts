import type { Pod } from "@pilothouse/api/core/v1"
import { bitsIn, parseCidrOrIp, parseIp } from "@pilothouse/api/net"
import type { Log } from "@pilothouse/seams"
import { type MeshNetworks, noNetworks } from "./mesh-networks.ts"

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

interface Branch {
  readonly values: string[]
  readonly next: (Branch | undefined)[]
}

/**
 * Values by ranges of addresses: a look-up takes as many steps as an address has bits, however many ranges there are.
 *
 * Invariant: a value stands at the end of the path of its range's bits; #isEmpty while there is none.
 */
export class PrefixTrie {
  readonly #roots = { 4: branch(), 6: branch() }
  #isEmpty = true

  /** False: that is no range. */
  add(range: string, value: string): boolean {
    const block = parseCidrOrIp(range)
    if (block === undefined) return false
    this.#isEmpty = false
    let at = this.#roots[block.family]
    for (const bit of bits(block.family, block.base).slice(0, block.prefixLength)) {
      const way = Number(bit)
      at.next[way] ??= branch()
      at = at.next[way]!
    }
    at.values.push(value)
    return true
  }

  /** The values of all the ranges that contain the address, the smallest range first. */
  containing(address: string): readonly string[] {
    // Most meshes have no ranges at all, and every endpoint asks.
    const parsed = this.#isEmpty ? undefined : parseIp(address)
    if (parsed === undefined) return []
    const found: string[] = []
    let at: Branch | undefined = this.#roots[parsed.family]
    for (const bit of [...bits(parsed.family, parsed.value), ""]) {
      if (at === undefined) break
      found.unshift(...at.values)
      at = bit === "" ? undefined : at.next[Number(bit)]
    }
    return found
  }
}

/** The path of an address: its bits as text, the highest first. */
function bits(family: 4 | 6, value: bigint): string {
  return value.toString(2).padStart(bitsIn(family), "0")
}

function branch(): Branch {
  return { values: [], next: [] }
}
