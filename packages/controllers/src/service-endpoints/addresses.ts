import type { Pod, Service } from "@pilothouse/api/core/v1"
import { canonicalIp } from "@pilothouse/api/net"

export type Family = "IPv4" | "IPv6"

/** The addresses of a pod in one family, written the one way Go writes them: old network plugins leave zeros and capitals in them.
 * Text that is not an address stays: the server refuses it in words that name it, while hiding the pod would say nothing. */
export function addressesIn(family: Family, { status }: Pod): readonly string[] {
  return (status?.podIPs ?? []).flatMap(({ ip }) => (familyOf(ip) === family ? [canonicalIp(ip) ?? ip] : []))
}

export function familyOf(address: string): Family {
  return address.includes(":") ? "IPv6" : "IPv4"
}

/**
 * The families a Service has addresses in. A server that is older than dual stack says none: then that of the cluster IP, and both for a headless
 * Service, because leaving one out would take its endpoints away.
 */
export function familiesOf({ spec }: Service): readonly Family[] {
  const said = (spec?.ipFamilies ?? []).filter((family) => family === "IPv4" || family === "IPv6")
  if (said.length > 0) return said
  return spec !== undefined && hasClusterIp({ spec }) ? [familyOf(spec.clusterIP ?? "")] : ["IPv4", "IPv6"]
}

/** False for a headless Service. */
export function hasClusterIp({ spec }: Pick<Service, "spec">): boolean {
  return Boolean(spec?.clusterIP) && spec?.clusterIP !== "None"
}
