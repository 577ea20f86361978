import type { KubeObject } from "@pilothouse/api"
import type { CallOptions } from "../../clients/calls/collection.ts"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { Network, Subnet } from "../../clients/neutron/types.ts"

/** A network and those of its subnets that are asked for. */
export interface NetworkSubnets {
  readonly network: Network
  readonly subnets: readonly Subnet[]
}

/** In which subnets the addresses of an object are. */
export interface SubnetsDriver {
  subnetsFor(object: KubeObject, options?: CallOptions): Promise<NetworkSubnets>
}

/**
 * One subnet for all. It is asked for once, not for every pod: a subnet does not change its range.
 * Invariant: #known is the result, or the query in progress; a failed query is repeated.
 */
class DefaultSubnets implements SubnetsDriver {
  readonly #neutron: Pick<Neutron, "subnets" | "networks">
  readonly #subnet: string
  #known: Promise<NetworkSubnets> | undefined

  constructor(neutron: Pick<Neutron, "subnets" | "networks">, subnet: string) {
    this.#neutron = neutron
    this.#subnet = subnet
  }

  subnetsFor(_: KubeObject, options?: CallOptions): Promise<NetworkSubnets> {
    this.#known ??= this.#ask(options).catch((error: unknown) => {
      this.#known = undefined
      throw error
    })
    return this.#known
  }

  async #ask(options?: CallOptions): Promise<NetworkSubnets> {
    const subnet = await this.#neutron.subnets.get(this.#subnet, options)
    return { network: await this.#neutron.networks.get(subnet.network_id, options), subnets: [subnet] }
  }
}

export function defaultSubnets(neutron: Pick<Neutron, "subnets" | "networks">, subnet: string): SubnetsDriver {
  return new DefaultSubnets(neutron, subnet)
}
