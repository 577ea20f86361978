import type { Node } from "@pilothouse/api/core/v1"
import { InstanceNotFound } from "../provider/cloud-errors.ts"
import type { CloudProvider, Instances, Routes } from "../provider/provider.ts"
import { memoryLoadBalancers } from "./load-balancers.ts"
import type { MemoryCloud, MemoryInstance } from "./memory-cloud.ts"

/** The cloud, and the cluster that the provider is for. */
export interface MemoryProviderOptions {
  readonly cloud: MemoryCloud
  readonly clusterName?: string
}

/** Returns a provider of load balancers, instances and routes that exist in memory only: for tests, with faults on request. */
export function memoryProvider({ cloud, clusterName = "kubernetes" }: MemoryProviderOptions): CloudProvider {
  return {
    name: "memory",
    clusterName,
    loadBalancers: memoryLoadBalancers(cloud, clusterName),
    instances: memoryInstances(cloud),
    routes: memoryRoutes(cloud, clusterName),
  }
}

function memoryInstances(cloud: MemoryCloud): Instances {
  const found = ({ metadata, spec }: Node): MemoryInstance | undefined => {
    if (!spec?.providerID) return cloud.instances.get(metadata.name ?? "")
    return [...cloud.instances.values()].find((instance) => instance.providerId === spec.providerID)
  }
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
