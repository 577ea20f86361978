import { formatLabelSelector, isSidecar, selectorFromLabels } from "@pilothouse/api"
import type { Pod, Service, ServicePort } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import type { Client } from "@pilothouse/runtime"

/** Where connections to a Service go: what its EndpointSlices say. */
export async function slicesOf(client: Client, { metadata }: Service): Promise<readonly EndpointSlice[]> {
  const labelSelector = ownLabel(metadata.name)
  return (await client.list(endpointSlices, { namespace: metadata.namespace, labelSelector })).items
}

function ownLabel(name = ""): string {
  return `kubernetes.io/service-name=${name}`
}

/** Ports on which a ready endpoint takes connections. */
export function livePorts({ spec }: Service, slices: readonly EndpointSlice[]): readonly ServicePort[] {
  const ready = slices.filter(({ endpoints }) => (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false))
  return (spec?.ports ?? []).filter((port) => isIn(ready, port))
}

/** Ports of which no endpoint has anything, though there are some: most often a name that no container has given to a port. `matching` are the pods of its selector. */
export function deadPortLines(service: Service, matching: readonly Pod[], slices: readonly EndpointSlice[]): readonly string[] {
  const { metadata, spec } = service
  const dead = (spec?.ports ?? []).filter((port) => !isIn(slices, port))
  if (hasSelector(service)) {
    if (matching.length === 0) return []
    const who = `no pod with ${formatLabelSelector(selectorFromLabels(spec?.selector))}`
    return dead
      .filter((port) => isUnknownTo(matching, port))
      .map((port) => `${leadsNowhere(port)}: ${who} has ${wantedPort(port, matching)}`)
  }
  if (slices.length === 0) return [`nothing answers: no EndpointSlice has the label ${ownLabel(metadata.name)}`]
  return dead.map((port) => `${leadsNowhere(port)}: no EndpointSlice with ${ownLabel(metadata.name)} has a port ${nameIn(port)}`)
}

export function hasSelector({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0
}

function leadsNowhere({ port }: ServicePort): string {
  return `port ${port} leads nowhere`
}

/** How EndpointSlices name it: as the Service does, and the one port that needs no name by none. */
function nameIn({ name = "", protocol = "TCP" }: ServicePort): string {
  return name === "" ? `for ${protocol} without a name` : `for ${protocol} named "${name}"`
}

function isIn(slices: readonly EndpointSlice[], { name = "", protocol = "TCP" }: ServicePort): boolean {
  return slices.some(({ ports }) => (ports ?? []).some((one) => (one.name ?? "") === name && (one.protocol ?? "TCP") === protocol))
}

/** A number is sent to whether a pod declares it or not; a name has to be found. */
function isUnknownTo(matching: readonly Pod[], { targetPort, protocol = "TCP" }: ServicePort): boolean {
  if (typeof targetPort !== "string") return false
  return !named(matching, targetPort).some((one) => (one.protocol ?? "TCP") === protocol)
}

/** With its protocol where that is what is wrong. */
function wantedPort({ targetPort, protocol = "TCP" }: ServicePort, matching: readonly Pod[]): string {
  const isOfAnother = typeof targetPort === "string" && named(matching, targetPort).length > 0
  return `a port ${isOfAnother ? `for ${protocol} ` : ""}named "${targetPort}"`
}

function named(matching: readonly Pod[], name: string) {
  const containers = matching.flatMap(({ spec }) => [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)])
  return containers.flatMap(({ ports }) => (ports ?? []).filter((one) => one.name === name))
}
