import { checkDns1123Subdomain, type FieldError, fieldError } from "@pilothouse/api"
import type { Service, ServiceSpec } from "@pilothouse/api/core/v1"
import { isExternallyAccessible } from "../../services/service-ports.ts"
import { duplicates, named, oneOf } from "../field-rules.ts"
import { validateLabels } from "../object-meta.ts"
import { ipErrors, isIpv6, specialAddressErrors } from "./ip-address.ts"
import { balancerChanges, balancerErrors, healthPortChanges, healthPortErrors, sourceRangeErrors } from "./service-balancer.ts"
import { nodePortErrors, servicePortErrors, sharedPortErrors } from "./service-ports.ts"

const families: readonly string[] = ["IPv4", "IPv6"]
const familyPolicies: readonly string[] = ["PreferDualStack", "RequireDualStack", "SingleStack"]

/** Validates a Service in upstream's order, which is that of its message. */
export function validateService(service: Service, old?: Service): readonly FieldError[] {
  const { spec = {} } = service
  const headless = spec.clusterIPs?.[0] === "None"
  return [
    ...hintErrors(service),
    ...((spec.ports ?? []).length === 0 && !headless && spec.type !== "ExternalName" ? [fieldError.required("spec.ports")] : []),
    ...typeErrors(spec, headless),
    ...servicePortErrors(spec),
    ...validateLabels(spec.selector, "spec.selector"),
    ...affinityErrors(spec),
    ...clusterAddressErrors(spec, old?.spec),
    ...externalAddressErrors(spec, old?.spec),
    ...oneOf(spec.type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"], "spec.type"),
    ...nodePortErrors(spec),
    ...sharedPortErrors(spec),
    ...sourceRangeErrors(service, old),
    ...balancerErrors(spec),
    ...trafficErrors(spec),
    ...healthPortErrors(spec),
    ...policyErrors(spec),
  ]
}

const [hints, mode] = ["service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"]

/** One annotation took the place of the other. */
function hintErrors({ metadata: { annotations = {} } }: Service): readonly FieldError[] {
  const [older, newer] = [annotations[hints], annotations[mode]]
  if (older === undefined || newer === undefined || older === newer) return []
  return [fieldError.invalid(`metadata.annotations[${mode}]`, newer, `must match annotations[${hints}] when both are specified`)]
}

function typeErrors(spec: ServiceSpec, headless: boolean): readonly FieldError[] {
  if (spec.type === "ExternalName") {
    const set = { clusterIPs: spec.clusterIPs?.length, ipFamilies: spec.ipFamilies?.length, ipFamilyPolicy: spec.ipFamilyPolicy }
    return [
      ...Object.entries(set).flatMap(([key, value]) =>
        value ? [fieldError.forbidden(`spec.${key}`, "may not be set for ExternalName services")] : [],
      ),
      ...named(spec.externalName?.replace(/\.$/, ""), checkDns1123Subdomain, "spec.externalName"),
    ]
  }
  if (!headless || (spec.type !== "LoadBalancer" && spec.type !== "NodePort")) return []
  return [fieldError.invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${spec.type} services`)]
}

/** Seconds: a day. */
const maxAffinity = 86400

/** Defaults fill in how long, or take it away where there is no affinity. */
function affinityErrors({ sessionAffinity, sessionAffinityConfig: config }: ServiceSpec): readonly FieldError[] {
  const seconds = config?.clientIP?.timeoutSeconds
  const outside = sessionAffinity === "ClientIP" && seconds !== undefined && (seconds <= 0 || seconds > maxAffinity)
  const rule = `must be greater than 0 and less than ${maxAffinity}`
  return [
    ...oneOf(sessionAffinity, ["ClientIP", "None"], "spec.sessionAffinity"),
    ...(outside ? [fieldError.invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", seconds, rule)] : []),
  ]
}

const policies = ["Cluster", "Local"]

function trafficErrors(spec: ServiceSpec): readonly FieldError[] {
  const { externalTrafficPolicy: policy } = spec
  const field = "spec.externalTrafficPolicy"
  if (policy === undefined) return []
  if (!isExternallyAccessible(spec)) return [fieldError.invalid(field, policy, "may only be set for externally-accessible services")]
  return policies.includes(policy) ? [] : [fieldError.notSupported(field, policy, policies)]
}

const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"]

function policyErrors({ internalTrafficPolicy: policy, trafficDistribution: distribution }: ServiceSpec): readonly FieldError[] {
  return [
    ...(policy === undefined ? [] : oneOf(policy, policies, "spec.internalTrafficPolicy")),
    ...(distribution === undefined ? [] : oneOf(distribution, distributions, "spec.trafficDistribution")),
  ]
}

export function validateServiceUpdate({ spec = {} }: Service, { spec: old = {} }: Service): readonly FieldError[] {
  return [...addressChanges(spec, old), ...balancerChanges(spec, old), ...healthPortChanges(spec, old)]
}

/** Clients of a service hold its address: it is immutable, unless there is none before or after. */
function addressChanges(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  if (spec.type === "ExternalName" || old.type === "ExternalName") return []
  const [now, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []]
  if (before[0] === undefined || before[0] === now[0]) return []
  if (now[0] === undefined) return [fieldError.invalid("spec.clusterIPs[0]", now, "primary clusterIP can not be unset")]
  return [fieldError.invalid("spec.clusterIPs[0]", now, "may not change once set")]
}

/** Validates the cluster addresses of a Service. An ExternalName has none of it, which is said elsewhere. */
export function clusterAddressErrors(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  if (spec.type === "ExternalName") return []
  const wrong = addressErrors(spec.clusterIPs ?? [], old?.clusterIPs)
  return [
    ...firstAddressErrors(spec),
    ...(spec.ipFamilies ?? []).flatMap((family, index) =>
      families.includes(family) ? [] : [fieldError.notSupported(`spec.ipFamilies[${index}]`, family, families)],
    ),
    ...duplicates(spec.ipFamilies ?? [], (index) => `spec.ipFamilies[${index}]`),
    ...(spec.ipFamilyPolicy === undefined || familyPolicies.includes(spec.ipFamilyPolicy)
      ? []
      : [fieldError.notSupported("spec.ipFamilyPolicy", spec.ipFamilyPolicy, familyPolicies)]),
    ...wrong,
    ...tooManyErrors(spec.clusterIPs ?? []),
    // What is no address has no family.
    ...(wrong.length > 0 ? [] : familyErrors(spec)),
  ]
}

/** Old clients write the one, new ones the list. */
function firstAddressErrors({ clusterIP = "", clusterIPs = [] }: ServiceSpec): readonly FieldError[] {
  if (clusterIP === (clusterIPs[0] ?? "")) return []
  if (clusterIPs.length === 0) return [fieldError.required("spec.clusterIPs")]
  const rule = clusterIP === "" ? "must be empty when `clusterIP` is not specified" : "first value must match `clusterIP`"
  return [fieldError.invalid("spec.clusterIPs", clusterIPs, rule)]
}

function addressErrors(addresses: readonly string[], old: readonly string[] | undefined): readonly FieldError[] {
  const before = new Set(old)
  return addresses.flatMap((address, index) => {
    if (index > 0 || address !== "None") return ipErrors(address, `spec.clusterIPs[${index}]`, before)
    return addresses.length === 1 ? [] : [fieldError.invalid("spec.clusterIPs", addresses, "'None' must be the first and only value")]
  })
}

function tooManyErrors(addresses: readonly string[]): readonly FieldError[] {
  return addresses.length > 2 ? [fieldError.invalid("spec.clusterIPs", addresses, "may only hold up to 2 values")] : []
}

function familyErrors({ clusterIPs = [], ipFamilies = [] }: ServiceSpec): readonly FieldError[] {
  const found = clusterIPs.map((address) => (isIpv6(address) ? "IPv6" : "IPv4"))
  const shared = clusterIPs.length > 1 && new Set(found).size === 1
  return [
    ...(shared ? [fieldError.invalid("spec.clusterIPs", clusterIPs, "may specify no more than one IP for each IP family")] : []),
    ...clusterIPs.flatMap((address, index) => {
      const wanted = ipFamilies[index]
      if (address === "None" || wanted === undefined || !families.includes(wanted) || wanted === found[index]) return []
      return [
        fieldError.invalid(`spec.clusterIPs[${index}]`, address, `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``),
      ]
    }),
  ]
}

function externalAddressErrors(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  const before = new Set(old?.externalIPs)
  return (spec.externalIPs ?? []).flatMap((address, index) => {
    const field = `spec.externalIPs[${index}]`
    const wrong = ipErrors(address, field, before)
    return wrong.length > 0 ? wrong : specialAddressErrors(address, field)
  })
}
