import type { LoadBalancerIngress, Service } from "@pilothouse/api/core/v1"
import { throwIfAborted } from "@pilothouse/seams"
import { defaultBalancerName } from "../provider/balancer-name.ts"
import { BalancerNotFound } from "../provider/cloud-errors.ts"
import type { CloudProvider, LoadBalancers, Notice } from "../provider/provider.ts"
import { isSameStatus } from "../service/balancer-status.ts"
import type { Balancer } from "./balancer.ts"
import { balancerRange, unmetRequest } from "./loopback-address.ts"
import type { LoopbackCloud } from "./loopback-cloud.ts"

/** The balancers of this process, and the cluster that the provider is for. */
export interface LoopbackProviderOptions {
  readonly cloud: LoopbackCloud
  readonly clusterName?: string
}

/**
 * Returns a provider of balancers on the loopback addresses of this host. They forward straight to ready endpoints, which endpoints-controller.ts
 * sets; nodes and node ports play no part.
 */
export function loopbackProvider({ cloud, clusterName = "kubernetes" }: LoopbackProviderOptions): CloudProvider {
  return { name: "loopback", clusterName, loadBalancers: loopbackBalancers(cloud, clusterName) }
}

function loopbackBalancers(cloud: LoopbackCloud, clusterName: string): LoadBalancers {
  const name = (service: Service) => `${clusterName}-${defaultBalancerName(service)}`
  return {
    name,
    async get(service, signal) {
      throwIfAborted(signal)
      const found = cloud.get(name(service))
      return found && { ingress: found.ingress() }
    },
    async ensure(service, _nodes, signal) {
      throwIfAborted(signal)
      const isNew = cloud.get(name(service)) === undefined
      const { balancer, changed } = await cloud.ensure(name(service), clusterName, service)
      const status = { ingress: balancer.ingress() }
      // A balancer ends with its process: one with its previous address counts as unchanged.
      const isNews = isNew ? !isSameStatus(status, service.status?.loadBalancer) : changed
      return {
        status,
        changed: isNews,
        notices: [...mapped(balancer), ...leftOut(balancer), ...ignoredAddressRequest(service, status.ingress)],
      }
    },
    async update(service, _nodes, signal) {
      throwIfAborted(signal)
      if (cloud.get(name(service)) === undefined) throw new BalancerNotFound(`this process has no load balancer ${name(service)}`)
    },
    ensureDeleted: async (service) => cloud.delete(name(service)),
  }
}

function mapped(balancer: Balancer): readonly Notice[] {
  return balancer.mappings().map(({ address, port, protocol, bound }) => ({
    type: "Normal",
    reason: "PortMapped",
    message: `Port ${port}/${protocol} cannot be bound on ${address} here, use ${inUrl(address)}:${bound} instead`,
  }))
}

/** A balancer with some of its ports serves those; the others are named as missing rather than tried without end. */
function leftOut({ leftOut: missing }: Balancer): readonly Notice[] {
  if (missing === undefined) return []
  const message = `expected at most ${missing.limit}, found more: ${missing.count} ports have none; remove ports or Services of type LoadBalancer`
  return [{ type: "Warning", reason: "TooManyPorts", message }]
}

/** The field is a request: a balancer at another address is better than none, but an event says so. */
function ignoredAddressRequest(service: Service, ingress: readonly LoadBalancerIngress[]): readonly Notice[] {
  const addresses = ingress.map(({ ip }) => ip)
  const requested = unmetRequest(service, addresses)
  if (requested === undefined) return []
  const expected = `expected an address of ${balancerRange} in spec.loadBalancerIP that this system has and no other Service uses`
  const is = addresses.length === 1 ? "is" : "are"
  return [
    { type: "Warning", reason: "LoadBalancerIPIgnored", message: `${expected}, found ${requested}; ${addresses.join(" and ")} ${is} used` },
  ]
}

function inUrl(address: string): string {
  return address.includes(":") ? `[${address}]` : address
}
