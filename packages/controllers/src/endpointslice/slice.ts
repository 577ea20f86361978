import { checkDns1123Subdomain, controllerRef } from "@pilothouse/api"
import { type Service, services } from "@pilothouse/api/core/v1"
import type { EndpointPort, EndpointSlice } from "@pilothouse/api/discovery/v1"
import { type Family, hasClusterIp } from "../service-endpoints/addresses.ts"
import { headlessLabel, isMirrored, mirrored, mirroredLabels } from "../service-endpoints/mirrored-labels.ts"
import { withAnnotations } from "../service-endpoints/trigger-time.ts"

export const serviceNameLabel = "kubernetes.io/service-name"
export const managedByLabel = "endpointslice.kubernetes.io/managed-by"
export const managedByThisController = "endpointslice-controller.k8s.io"

const reserved = [serviceNameLabel, managedByLabel, headlessLabel]

/** Other controllers (mirroring) and users create slices too: only those with this controller's label are managed. */
export function isManaged({ metadata }: EndpointSlice): boolean {
  return metadata.labels?.[managedByLabel] === managedByThisController
}

/** Compares the owner by uid: a slice of an older Service of the same name belongs to the garbage collector. */
export function isOwnedBy({ metadata }: EndpointSlice, service: Service): boolean {
  const owners = metadata.ownerReferences ?? []
  return owners.some((owner) => owner.uid === service.metadata.uid && owner.kind === "Service" && owner.apiVersion === "v1")
}

/** A slice without endpoints; the server draws the end of its name. */
export function newSlice(service: Service, addressType: Family, ports: readonly EndpointPort[]): EndpointSlice {
  const { name = "", namespace } = service.metadata
  const metadata = { generateName: slicePrefix(name), namespace, ownerReferences: [controllerRef(service, services)] }
  const bare: EndpointSlice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata, addressType, endpoints: [], ports }
  return withServiceLabels(bare, service)
}

/** Returns what the names of a Service's slices begin with: its name and a dash, or the name alone where that would be too long. */
export function slicePrefix(service: string): string {
  const prefix = `${service}-`
  return checkDns1123Subdomain(prefix, { prefix: true }).length === 0 ? prefix : service
}

export function hasServiceLabels({ metadata }: EndpointSlice, service: Service): boolean {
  return isMirrored(metadata, labelsFor(metadata, service))
}

export function withServiceLabels(slice: EndpointSlice, service: Service): EndpointSlice {
  const { labels, record } = labelsFor(slice.metadata, service)
  const annotations = withAnnotations(slice.metadata.annotations, { [mirroredLabels]: record })
  return { ...slice, metadata: { ...slice.metadata, labels, ...(annotations && { annotations }) } }
}

function labelsFor(metadata: EndpointSlice["metadata"], service: Service): ReturnType<typeof mirrored> {
  const names = { [serviceNameLabel]: service.metadata.name ?? "", [managedByLabel]: managedByThisController }
  const own = hasClusterIp(service) ? names : { ...names, [headlessLabel]: "" }
  return mirrored(metadata, { service: service.metadata.labels, own, reserved })
}
