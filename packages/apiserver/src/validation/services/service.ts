import { checkDns1123Subdomain, type FieldError, fieldError } from "@pilothouse/api"
import type { Service, ServiceSpec } from "@pilothouse/api/core/v1"
import { isExternallyAccessible } from "../../services/service-ports.ts"
import { named, oneOf } from "../field-rules.ts"
import { validateLabels } from "../object-meta.ts"
import { clusterAddressErrors, externalAddressErrors } from "./service-addresses.ts"
import { balancerChanges, balancerErrors, healthPortChanges, healthPortErrors, sourceRangeErrors } from "./service-balancer.ts"
import { nodePortErrors, servicePortErrors, sharedPortErrors } from "./service-ports.ts"

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
