import { isSidecar } from "@pilothouse/api"
import type { Pod, Service } from "@pilothouse/api/core/v1"

type Port = NonNullable<NonNullable<Service["spec"]>["ports"]>[number]

/** The port of a pod that a service port leads to: a number, or a name that one of its containers gives; sidecars that start first count too. Undefined: no container has it. */
export function targetPortOf({ port, targetPort, protocol = "TCP" }: Port, pod: Pod | undefined): number | undefined {
  if (targetPort === undefined || targetPort === 0 || targetPort === "") return port
  if (typeof targetPort === "number") return targetPort
  const sidecars = (pod?.spec?.initContainers ?? []).filter((container) => isSidecar(container))
  const containers = [...(pod?.spec?.containers ?? []), ...sidecars]
  return containers.flatMap(({ ports = [] }) => ports).find((named) => named.name === targetPort && (named.protocol ?? "TCP") === protocol)
    ?.containerPort
}
