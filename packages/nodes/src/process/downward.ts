import { amountMilliValue, parseQuantity } from "@pilothouse/api"
import type { Container, Pod, ResourceFieldSelector } from "@pilothouse/api/core/v1"

/** What a field of its own pod says, for the environment of a container. Undefined: there is no such field. */
export function downwardField(pod: Pod, path: string): string | undefined {
  const { metadata, spec, status } = pod
  const [, kind, key] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? []
  if (key !== undefined) return metadata[kind as "labels" | "annotations"]?.[key] ?? ""
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec?.nodeName,
    "spec.serviceAccountName": spec?.serviceAccountName ?? "default",
    "status.hostIP": status?.hostIP,
    "status.hostIPs": status?.hostIPs?.map(({ ip }) => ip).join(","),
    "status.podIP": status?.podIP,
    "status.podIPs": status?.podIPs?.map(({ ip }) => ip).join(","),
  }
  return fields[path]
}

/** What a container without a limit may have all of. */
const ofNode: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"])

/** How much of a resource a container may have, in whole units of the divisor, rounded up; without a limit, what its node has to give. */
export function downwardResource(
  pod: Pod,
  own: Container,
  { containerName, resource, divisor = "1" }: ResourceFieldSelector,
  allocatable: Readonly<Record<string, string>> = {},
): string {
  const { resources } = containerNamed(pod, containerName) ?? own
  const [which = "", name = ""] = resource.split(/\.(.*)/)
  const unlimited = which === "limits" && ofNode.has(name) ? allocatable[name] : undefined
  const amount = resources?.[which as "limits" | "requests"]?.[name] ?? unlimited ?? "0"
  const unit = divisor === "0" ? "1" : divisor
  return String(Math.ceil(thousandths(amount) / thousandths(unit)))
}

function containerNamed({ spec }: Pod, wanted: string | undefined): Container | undefined {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find(({ name }) => name === wanted)
}

function thousandths(quantity: string): number {
  return amountMilliValue(parseQuantity(quantity))
}
