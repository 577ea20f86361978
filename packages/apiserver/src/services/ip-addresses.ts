import { type FieldError, fieldError, formatTime, invalid, type KubeObject } from "@pilothouse/api"
import { type Service, services } from "@pilothouse/api/core/v1"
import { parseIp } from "@pilothouse/api/net"
import type { IPAddress } from "@pilothouse/api/networking/v1"

const familyLabel = "ipaddress.kubernetes.io/ip-family"
const managedByLabel = "ipaddress.kubernetes.io/managed-by"
const allocator = "ipallocator.k8s.io"
export const allocated = "provided IP is already allocated"

/** The cluster addresses of a Service: none when it is headless, of type ExternalName, or gone. */
export function clusterAddresses(service: KubeObject | undefined): readonly string[] {
  const spec = (service as Service | undefined)?.spec
  if (spec === undefined || spec.type === "ExternalName") return []
  return (spec.clusterIPs ?? []).filter((address) => address !== "None" && address !== "")
}

/** Shared by all: a cluster may have tens of thousands of addresses. */
const labelsOf = {
  IPv4: Object.freeze({ [familyLabel]: "IPv4", [managedByLabel]: allocator }),
  IPv6: Object.freeze({ [familyLabel]: "IPv6", [managedByLabel]: allocator }),
}

/** Returns the IPAddress of a Service, as upstream's allocator makes it. */
export function ipAddressOf(address: string, { metadata }: KubeObject, uid: string, now: number): IPAddress {
  const { namespace = "", name = "" } = metadata
  return {
    kind: "IPAddress",
    apiVersion: "networking.k8s.io/v1",
    metadata: {
      name: address,
      uid,
      creationTimestamp: formatTime(now),
      labels: labelsOf[familyOf(address)],
    },
    spec: { parentRef: { resource: "services", namespace, name } },
  }
}

/** Whether the API server looks after the IPAddress. Users reserve addresses with others. */
export function isManaged({ metadata }: KubeObject): boolean {
  return metadata.labels?.[managedByLabel] === allocator
}

export function hasAllocatorLabels(address: KubeObject): boolean {
  return isManaged(address) && address.metadata.labels?.[familyLabel] === familyOf(address.metadata.name ?? "")
}

/** Whether an IPAddress names a Service, of whatever name. */
export function namesService({ spec }: IPAddress): boolean {
  return (spec?.parentRef?.group ?? "") === "" && spec?.parentRef?.resource === "services"
}

export function belongsTo(address: IPAddress, { metadata }: KubeObject): boolean {
  const { namespace, name } = address.spec?.parentRef ?? {}
  return namesService(address) && name === metadata.name && (namespace ?? "") === (metadata.namespace ?? "")
}

export function addressError(address: string, fault: string): FieldError {
  return fieldError.invalid("spec.clusterIPs", [address], `failed to allocate IP ${address}: ${fault}`)
}

/** An address that another one took while the Service was on its way. */
export function addressTaken({ metadata }: KubeObject, address: string): Error {
  return invalid(services, metadata.name ?? "", [addressError(address, allocated)])
}

export function familyOf(address: string): "IPv4" | "IPv6" {
  return parseIp(address)?.family === 6 ? "IPv6" : "IPv4"
}
