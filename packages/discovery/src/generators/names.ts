import type { Service, ServicePort } from "../model/service.ts"

/** "outbound|8080||web.shop.svc.cluster.local", as Istio has it; the third part would be a subset. */
export function clusterName(port: number, hostname: string): string {
  return `outbound|${port}||${hostname}`
}

/** The port and host of such a name; undefined where it is none, or has a subset. A port has one spelling: changes are announced by that one only. */
export function parseClusterName(name: string): { readonly port: number; readonly hostname: string } | undefined {
  const found = /^outbound\|([1-9]\d*)\|\|(.+)$/.exec(name)
  return found === null ? undefined : { port: Number(found[1]), hostname: found[2]! }
}

/** Every way to write a service's name: whole, and as Kubernetes' DNS shortens it. The shortest means it only inside its own namespace. */
export function spellings(service: Service): readonly string[] {
  const { name, namespace, hostname } = service
  return [hostname, `${name}.${namespace}.svc`, `${name}.${namespace}`, name]
}

/** Reports whether clients of a namespace may know of it. */
export function visibleIn(service: Service, namespace: string): boolean {
  return service.exportTo.some((scope) => scope === "*" || scope === namespace || (scope === "." && service.namespace === namespace))
}

/** Reports whether all clients that `before` is visible to can see `after` as well. */
export function isSeenAsWidely(after: Service, before: Service): boolean {
  return before.exportTo.every((scope) => scope === "~" || after.exportTo.includes("*") || after.exportTo.includes(scope))
}

/** Ports that are exported to clients: xDS as served here has no UDP. An alias has none: it is a name of its target. */
export function exportedPorts(service: Service): readonly ServicePort[] {
  if (service.aliasOf !== undefined) return []
  return service.ports.filter(({ protocol }) => protocol !== "UDP")
}

/** Ports by which clients name it: those of its own, or of what it stands for. */
export function namedPorts(service: Service): readonly ServicePort[] {
  return service.aliasOf === undefined ? exportedPorts(service) : service.ports
}

/** The names of all clusters that a service has. */
export function clustersOf(service: Service): readonly string[] {
  return exportedPorts(service).map(({ port }) => clusterName(port, service.hostname))
}

/** Reports whether the port's protocol is routed by HTTP. */
export function isHttp({ protocol }: ServicePort): boolean {
  return protocol === "HTTP" || protocol === "HTTP2" || protocol === "GRPC" || protocol === "GRPC-Web"
}

/** Returns all virtual addresses, of every cluster, each once. */
export function addressesOf(service: Service): readonly string[] {
  return [...new Set(Object.values(service.addresses).flat())]
}
