import { instancesByPort } from "./kube/queries/instances-by-port.ts"
import type { ServiceInstance } from "./model/instance.ts"
import { followHosts } from "./registry/follow-hosts.ts"
import type { Registry } from "./registry/registry.ts"

/** Called with an instance that came or changed, or with the last that was known of one that went or is not well any more. Must not throw. */
export type InstanceHandler = (instance: ServiceInstance, event: "added" | "updated" | "deleted") => void

/**
 * Notifies a handler of the healthy instances of every service: of all that are there once everything was read, then of each that changes, those that go
 * first, until it is disposed. A change costs as much as its service has endpoints: it is meant for programs that read each of them.
 */
export function appendInstanceHandler(registry: Registry, handler: InstanceHandler): Disposable {
  const known = new Map<string, ReadonlyMap<string, ServiceInstance>>()
  const check = (hostname: string) => {
    const [before, after] = [known.get(hostname) ?? noInstances, instancesOf(registry, hostname)]
    if (after.size === 0) known.delete(hostname)
    else known.set(hostname, after)
    for (const [place, instance] of before) if (!after.has(place)) handler(instance, "deleted")
    for (const [place, instance] of after) {
      const old = before.get(place)
      if (old === undefined) handler(instance, "added")
      else if (old.endpoint !== instance.endpoint) handler(instance, "updated")
    }
  }
  return followHosts(registry, check, () => known.keys())
}

const noInstances: ReadonlyMap<string, ServiceInstance> = new Map()

/** By where they are, behind which port. */
function instancesOf(registry: Registry, hostname: string): ReadonlyMap<string, ServiceInstance> {
  const all = instancesByPort(registry.getService(hostname), registry.endpoints(hostname), { port: 0 })
  return new Map(
    all.map((instance) => {
      const { endpoint, servicePort } = instance
      return [`${endpoint.cluster} ${endpoint.addresses[0]}:${endpoint.port} behind ${servicePort.port}`, instance]
    }),
  )
}
