import { keyOf } from "@pilothouse/api"
import type { Node, Service } from "@pilothouse/api/core/v1"
import { defaultBalancerName } from "../provider/balancer-name.ts"
import { BalancerNotFound, CloudError, InstanceNotFound } from "../provider/cloud-errors.ts"
import type { CloudProvider, Instances, LoadBalancers, Routes } from "../provider/provider.ts"
import type { MemoryCloud, MemoryInstance } from "./memory-cloud.ts"

/** The cloud, and the cluster that the provider is for. */
export interface MemoryProviderOptions {
  readonly cloud: MemoryCloud
  readonly clusterName?: string
  /** Whether every node has an instance, which is remembered when it is first asked for. Off by default: an instance exists once it is in `cloud.instances`. */
  readonly instanceOfEveryNode?: boolean
}

/** Returns a provider of load balancers, instances and routes that exist in memory only: for tests, with faults on request. */
export function memoryProvider({ cloud, clusterName = "kubernetes", instanceOfEveryNode = false }: MemoryProviderOptions): CloudProvider {
  return {
    name: "memory",
    clusterName,
    loadBalancers: memoryLoadBalancers(cloud, clusterName),
    instances: memoryInstances(cloud, instanceOfEveryNode),
    routes: memoryRoutes(cloud, clusterName),
  }
}

function memoryInstances(cloud: MemoryCloud, isOfEveryNode: boolean): Instances {
  const known = ({ metadata, spec }: Node): MemoryInstance | undefined => {
    if (!spec?.providerID) return cloud.instances.get(metadata.name ?? "")
    return [...cloud.instances.values()].find((instance) => instance.providerId === spec.providerID)
  }
  const found = (node: Node): MemoryInstance | undefined => known(node) ?? (isOfEveryNode ? remembered(cloud, node) : undefined)
  const run = <T>(verb: string, node: Node, signal: AbortSignal, work: () => T) =>
    cloud.call({ verb, about: node.metadata.name ?? "" }, signal, work)
  return {
    exists: (node, signal) => run("exists", node, signal, () => found(node) !== undefined),
    isShutDown: (node, signal) => run("isShutDown", node, signal, () => found(node)?.isShutDown ?? false),
    metadata: (node, signal) =>
      run("metadata", node, signal, () => {
        const instance = found(node)
        if (instance === undefined) throw new InstanceNotFound(`there is no machine of the node ${node.metadata.name}`)
        return { ...instance, addresses: instance.addresses ?? [] }
      }),
  }
}

/** The addresses stay those that the kubelet reports. */
function remembered(cloud: MemoryCloud, { metadata: { name = "" }, spec }: Node): MemoryInstance {
  const instance = { name, providerId: spec?.providerID || `memory:///${name}`, instanceType: "memory" }
  cloud.instances.set(name, instance)
  return instance
}

function memoryRoutes(cloud: MemoryCloud, cluster: string): Routes {
  return {
    list: (signal) =>
      cloud.call({ verb: "listRoutes", about: cluster }, signal, () =>
        [...cloud.routes.values()].filter((route) => route.cluster === cluster),
      ),
    create: (route, hint, signal) =>
      cloud.call({ verb: "createRoute", about: route.destination }, signal, () => {
        const name = `${cluster}-${hint}-${route.destination}`
        if (cloud.routes.has(name)) return
        cloud.routes.set(name, { ...route, name, cluster })
        cloud.wrote()
      }),
    delete: (route, signal) =>
      cloud.call({ verb: "deleteRoute", about: route.destination }, signal, () => {
        if (cloud.routes.delete(route.name)) cloud.wrote()
      }),
  }
}

/** Returns the balancers of one cluster in a cloud that other clusters may share. */
function memoryLoadBalancers(cloud: MemoryCloud, cluster: string): LoadBalancers {
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
