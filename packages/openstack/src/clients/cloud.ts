import type { Clock, Duration, Metrics, Transport } from "@pilothouse/seams"
import type { CloudAccess, Connect, Keystone } from "./calls/keystone.ts"
import { neutronRefusal, novaRefusal, octaviaRefusal, type ParseRefusal } from "./calls/refusals.ts"
import { ServiceCalls } from "./calls/service-calls.ts"
import { KeystoneClient } from "./keystone/keystone-client.ts"
import type { Neutron } from "./neutron/neutron.ts"
import { neutronClient } from "./neutron/neutron-client.ts"
import { type Nova, novaClient } from "./nova/nova-client.ts"
import { LoadBalancerPolls } from "./octavia/load-balancer-polls.ts"
import { neutronLbaasClient } from "./octavia/neutron-lbaas-client.ts"
import type { Octavia } from "./octavia/octavia.ts"
import { octaviaClient } from "./octavia/octavia-client.ts"

/** How the clients of one cloud reach it, and how patient they are. */
export interface OpenStackOptions {
  readonly access: CloudAccess
  readonly connect: Connect
  readonly clock: Clock
  /** Which load balancer service is used: Octavia by default. */
  readonly loadBalancing?: Octavia["flavour"]
  /** The timeout of one response: 60 s by default. */
  readonly timeout?: Duration
  /** How often a repeatable call is retried: 3 times by default. */
  readonly retries?: number
  /** Objects per page of a list: 500 by default. */
  readonly pageSize?: number
  readonly metrics?: Metrics
}

/** The services of one cloud, as one user. Creating it makes no call. */
export interface OpenStack {
  readonly keystone: Keystone
  readonly neutron: Neutron
  readonly octavia: Octavia
  readonly nova: Nova
  /** The one that was chosen, in a cloud of several. */
  readonly region: string | undefined
  /** Waits for load balancers, shared by all callers. */
  readonly polls: LoadBalancerPolls
}

/** Creates the clients of one cloud. They share one token, and one connection per address. */
export function openStack(options: OpenStackOptions): OpenStack {
  const { access, clock, metrics, timeout = "60s", retries = 3, pageSize = 500 } = options
  const connect = onePerAddress(options.connect)
  const keystone = new KeystoneClient({ access, connect, clock, timeout, retries })
  const calls = (serviceType: string, parseRefusal: ParseRefusal) =>
    new ServiceCalls({ keystone, connect, clock, timeout, retries, metrics, serviceType, parseRefusal })
  const network = calls("network", neutronRefusal)
  const octavia =
    options.loadBalancing === "neutron-lbaas"
      ? neutronLbaasClient({ calls: network, pageSize, polls: (of) => new LoadBalancerPolls({ octavia: of, clock }) })
      : octaviaClient({ calls: calls("load-balancer", octaviaRefusal), pageSize })
  return {
    keystone,
    neutron: neutronClient({ calls: network, pageSize }),
    octavia,
    nova: novaClient({ calls: calls("compute", novaRefusal), pageSize }),
    region: access.region,
    polls: new LoadBalancerPolls({ octavia, clock }),
  }
}

/** A transport holds connections: one for each address is enough. */
function onePerAddress(connect: Connect): Connect {
  const known = new Map<string, Transport>()
  return (url, service) => {
    const found = known.get(url) ?? connect(url, service)
    known.set(url, found)
    return found
  }
}
