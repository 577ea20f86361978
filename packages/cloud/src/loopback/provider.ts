import type { LoadBalancerIngress, Service } from "@pilothouse/api/core/v1"
import { throwIfAborted } from "@pilothouse/seams"
import { defaultBalancerName } from "../provider/balancer-name.ts"
import { BalancerNotFound } from "../provider/cloud-errors.ts"
import type { CloudProvider, LoadBalancers, Notice } from "../provider/provider.ts"
import { isSameStatus } from "../service/balancer-status.ts"
import type { Balancer } from "./balancer.ts"
import { balancerRange, unmetRequest } from "./loopback-address.ts"
import type { LoopbackCloud } from "./loopback-cloud.ts"

export interface LoopbackProviderOptions {
  readonly cloud: LoopbackCloud
  readonly clusterName?: string
}

/**
 * Balancers on the loopback addresses of this host. They forward straight to ready endpoints: which ones, the loop of endpoints-controller.ts
 * says; nodes and node ports play no part.
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
      // A balancer ends with its process: one that is where it was before is no news.
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

/** The field is a wish: a balancer at another address is better than none, but it is said. */
function ignoredAddressRequest(service: Service, ingress: readonly LoadBalancerIngress[]): readonly Notice[] {
  const addresses = ingress.map(({ ip }) => ip)
  const wished = unmetRequest(service, addresses)
  if (wished === undefined) return []
  const expected = `expected an address of ${balancerRange} in spec.loadBalancerIP that this system has and no other Service uses`
  const is = addresses.length === 1 ? "is" : "are"
  return [
    { type: "Warning", reason: "LoadBalancerIPIgnored", message: `${expected}, found ${wished}; ${addresses.join(" and ")} ${is} used` },
  ]
}

function inUrl(address: string): string {
  return address.includes(":") ? `[${address}]` : address
}
