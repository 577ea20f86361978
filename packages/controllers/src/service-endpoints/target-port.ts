import { isSidecar } from "@pilothouse/api"
import type { Container, Pod, ServicePort } from "@pilothouse/api/core/v1"

/** The port of the pod that a Service's port leads to; undefined when the pod has no port of that name and protocol. */
export function targetPort({ spec }: Pod, { targetPort: target, port, protocol = "TCP" }: ServicePort): number | undefined {
  if (target === undefined || typeof target === "number") return target || port
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar)
  // Containers first: a sidecar that a webhook injected must not take over the name.
  return portNamed(target, protocol, [...(spec?.containers ?? []), ...sidecars])
}

function portNamed(name: string, protocol: string, containers: readonly Container[]): number | undefined {
  const ports = containers.flatMap((container) => container.ports ?? [])
  return ports.find((one) => one.name === name && (one.protocol ?? "TCP") === protocol)?.containerPort
}
