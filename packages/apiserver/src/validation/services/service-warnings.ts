import type { Service, ServiceSpec } from "@pilothouse/api/core/v1"
import { canonicalCidr, canonicalIpv6 } from "./ip-address.ts"

/** Returns warnings about what is admitted and may not do what the user expects, in upstream's order and words. */
export function serviceWarnings({ metadata, spec = {} }: Service): readonly string[] {
  const headless = spec.type === "ClusterIP" && spec.clusterIP === "None"
  return [
    ...deprecatedHints(metadata.annotations),
    ...(headless ? ignoredWithoutAddress(spec) : []),
    ...addressWarnings(spec, headless),
    ...typeWarnings(spec),
  ]
}

const [hints, mode] = ["service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"]

function deprecatedHints(annotations: Readonly<Record<string, string>> = {}): readonly string[] {
  return annotations[hints] === undefined ? [] : [`annotation ${hints} is deprecated, please use ${mode} instead`]
}

function ignoredWithoutAddress({ loadBalancerIP, externalIPs = [], sessionAffinity }: ServiceSpec): readonly string[] {
  const ignored = (field: string, isSet: boolean) => (isSet ? [`spec.${field} is ignored for headless services`] : [])
  return [
    ...ignored("loadBalancerIP", Boolean(loadBalancerIP)),
    ...ignored("externalIPs", externalIPs.length > 0),
    ...ignored("SessionAffinity", sessionAffinity !== "None"),
  ]
}

function addressWarnings(spec: ServiceSpec, headless: boolean): readonly string[] {
  const { clusterIPs = [], externalIPs = [], loadBalancerIP, loadBalancerSourceRanges = [], type } = spec
  const own = headless ? [] : clusterIPs
  const deprecated = externalIPs.length > 0 && !headless && type !== "ExternalName"
  return [
    ...own.flatMap((address, at) => badlyWritten(address, `spec.clusterIPs[${at}]`)),
    ...externalIPs.flatMap((address, at) => badlyWritten(address, `spec.externalIPs[${at}]`)),
    ...(deprecated ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"] : []),
    ...(loadBalancerIP ? badlyWritten(loadBalancerIP, "spec.loadBalancerIP") : []),
    ...loadBalancerSourceRanges.flatMap((range, at) => badlyWrittenRange(range, `spec.loadBalancerSourceRanges[${at}]`)),
  ]
}

/** What is worse than not canonical is refused, but for what an object had before. */
function badlyWritten(address: string, field: string): readonly string[] {
  const canonical = canonicalIpv6(address)
  if (canonical === undefined || canonical === address) return []
  return [`${field}: IPv6 address "${address}" should be in RFC 5952 canonical format ("${canonical}")`]
}

function badlyWrittenRange(range: string, field: string): readonly string[] {
  const canonical = canonicalCidr(range)
  if (canonical === undefined || canonical === range) return []
  return [`${field}: IPv6 CIDR value "${range}" should be in RFC 5952 canonical format ("${canonical}")`]
}

function typeWarnings({ type, externalName, externalIPs = [], trafficDistribution }: ServiceSpec): readonly string[] {
  const isName = type === "ExternalName"
  return [
    ...(isName && externalIPs.length > 0 ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(!isName && externalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
    ...(trafficDistribution === "PreferClose" ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'] : []),
  ]
}
