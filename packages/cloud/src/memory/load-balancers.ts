import { keyOf } from "@pilothouse/api"
import type { Node, Service } from "@pilothouse/api/core/v1"
import { defaultBalancerName } from "../provider/balancer-name.ts"
import { BalancerNotFound, CloudError } from "../provider/cloud-errors.ts"
import type { LoadBalancers } from "../provider/provider.ts"
import type { MemoryCloud } from "./memory-cloud.ts"

/** Returns the balancers of one cluster in a cloud that other clusters may share. */
export function memoryLoadBalancers(cloud: MemoryCloud, cluster: string): LoadBalancers {
  const name = (service: Service) => `${cluster}-${defaultBalancerName(service)}`
  const run = <T>(verb: string, service: Service, signal: AbortSignal, work: () => T) =>
    cloud.call({ verb, about: keyOf(service) }, signal, work)
  return {
    name,
    get: (service, signal) => run("get", service, signal, () => cloud.balancers.get(name(service))?.status),
    ensure: (service, nodes, signal) =>
      run("ensure", service, signal, () => {
        refuseSctp(service)
        const found = cloud.balancers.get(name(service))
        const wanted = { made: JSON.stringify([service.metadata.annotations ?? {}, service.spec]), nodes: nodeNames(nodes) }
        if (found !== undefined && found.made === wanted.made && isSame(found.nodes, wanted.nodes))
          return { status: found.status, changed: false }
        const status = found?.status ?? { ingress: [{ ip: service.spec?.loadBalancerIP || cloud.freeAddress() }] }
        cloud.balancers.set(name(service), { cluster, name: name(service), service: keyOf(service), ...wanted, status })
        cloud.wrote()
        return { status, changed: true }
      }),
    update: (service, nodes, signal) =>
      run("update", service, signal, () => {
        const found = cloud.balancers.get(name(service))
        if (found === undefined) throw new BalancerNotFound(`there is no load balancer ${name(service)}`)
        if (isSame(found.nodes, nodeNames(nodes))) return
        cloud.balancers.set(name(service), { ...found, nodes: nodeNames(nodes) })
        cloud.wrote()
      }),
    ensureDeleted: (service, signal) =>
      run("ensureDeleted", service, signal, () => {
        if (cloud.balancers.delete(name(service))) cloud.wrote()
      }),
  }
}

function refuseSctp({ spec }: Service): void {
  if (spec?.ports?.some((port) => port.protocol === "SCTP")) throw new CloudError("expected TCP or UDP, found SCTP", { retryable: false })
}

function nodeNames(nodes: readonly Node[]): readonly string[] {
  return nodes.map((node) => node.metadata.name ?? "").sort()
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at])
}
