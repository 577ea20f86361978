import { deepEqual, isPodReady } from "@pilothouse/api"
import type { Node, Pod, Service } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointPort } from "@pilothouse/api/discovery/v1"
import { addressesIn, type Family } from "../service-endpoints/addresses.ts"
import { hostnameIn, isDeleted } from "../service-endpoints/endpoint-pods.ts"
import { targetPortsOf } from "../service-endpoints/target-port.ts"

const zoneLabel = "topology.kubernetes.io/zone"

/** Returns the endpoint of a pod in one family; undefined when the pod has no address in it. */
export function toEndpoint(service: Service, pod: Pod, node: Node | undefined, family: Family): Endpoint | undefined {
  const addresses = addressesIn(family, pod)
  if (addresses.length === 0) return undefined
  const { name, namespace, uid } = pod.metadata
  const nodeName = pod.spec?.nodeName
  const zone = node?.metadata.labels?.[zoneLabel]
  const hostname = hostnameIn(service, pod)
  return {
    addresses,
    conditions: endpointConditions(service, pod),
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName && { nodeName }),
    ...(zone && { zone }),
  }
}

/** A pod that stops may still serve what it has begun, but is never called ready: proxies that know only `ready` must leave it alone. */
function endpointConditions({ spec }: Service, pod: Pod): Endpoint["conditions"] {
  const serving = isPodReady(pod)
  const terminating = isDeleted(pod)
  return { ready: spec?.publishNotReadyAddresses === true || (serving && !terminating), serving, terminating }
}

/** Returns the identity of an endpoint: everything else may change in place. */
export function endpointKey({ addresses, hostname = "", targetRef }: Endpoint): string {
  return JSON.stringify([[...addresses].sort(), hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""])
}

/** Reports whether an existing endpoint equals the desired one, apart from hints. */
export function isSameEndpoint(existing: Endpoint, desired: Endpoint): boolean {
  return deepEqual(comparable(existing), comparable(desired))
}

function comparable({ conditions, nodeName, zone, targetRef }: Endpoint): unknown {
  const { ready, serving, terminating } = conditions ?? {}
  return { ready, serving, terminating, nodeName, zone, targetRef: { ...targetRef, resourceVersion: undefined } }
}

/** The Service's ports as they are on this pod. A named port may be another number on each, and missing on some. */
export function portsOn(pod: Pod, { spec }: Service): readonly EndpointPort[] {
  const targetPort = targetPortsOf(pod)
  return (spec?.ports ?? []).flatMap((one) => {
    const port = targetPort(one)
    if (port === undefined) return []
    const { name = "", protocol = "TCP", appProtocol } = one
    return [{ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) }]
  })
}

/** Endpoints with the same ports share slices, in whatever order the ports stand. */
export function portsKey(ports: readonly EndpointPort[] = []): string {
  const texts = ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => JSON.stringify([name, port, protocol, appProtocol]))
  return texts.sort().join()
}
