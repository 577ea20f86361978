import { isSidecar } from "@pilothouse/api"
import type { Pod, Service, ServicePort } from "@pilothouse/api/core/v1"

/**
 * Finds the port of the pod that a Service's port leads to; undefined when the pod has no port of that name and protocol.
 * The names of a pod's ports are read once for all ports of a Service: both may have thousands.
 */
export function targetPortsOf(pod: Pod): (port: ServicePort) => number | undefined {
  let named: ReadonlyMap<string, number> | undefined
  return ({ targetPort: target, port, protocol = "TCP" }) => {
    if (target === undefined || typeof target === "number") return target || port
    named ??= namedPorts(pod)
    return named.get(`${protocol} ${target}`)
  }
}

/** Returns what makes something of a Service's ports on a pod: once for all pods whose ports have the same names. */
export function oncePerPorts<T>({ spec }: Service, make: (pod: Pod) => T): (pod: Pod) => T {
  const hasNames = (spec?.ports ?? []).some(({ targetPort }) => typeof targetPort === "string")
  const known = new Map<string, { readonly made: T }>()
  return (pod) => {
    const names = hasNames ? JSON.stringify([...namedPorts(pod)]) : ""
    const found = known.get(names) ?? { made: make(pod) }
    known.set(names, found)
    return found.made
  }
}

/** By "TCP web"; the first port of a name has it. */
function namedPorts({ spec }: Pod): ReadonlyMap<string, number> {
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar)
  const found = new Map<string, number>()
  // Containers first: a sidecar that a webhook injected must not take over the name.
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars]) {
    for (const { name, protocol = "TCP", containerPort } of ports) {
      const key = `${protocol} ${name}`
      if (name !== undefined && !found.has(key)) found.set(key, containerPort)
    }
  }
  return found
}
