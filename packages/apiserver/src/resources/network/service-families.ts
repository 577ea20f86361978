import { deepEqual, type FieldError, fieldError, invalid } from "@pilothouse/api"
import { type Service, type ServiceSpec, services } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { isIpv6 } from "../../validation/services/ip-address.ts"
import { clusterAddressErrors } from "../../validation/services/service.ts"

type Family = NonNullable<ServiceSpec["ipFamilies"]>[number]

/** Addresses are given out of these families alone, the default first. */
const configured: readonly Family[] = ["IPv4"]
const defaultFamily = "IPv4"

type Spec = Draft<ServiceSpec>

/**
 * Fills the IP families of a Service and their policy, as upstream does on a cluster of one family. A headless Service without a selector is of both
 * families: its addresses are none of the cluster's.
 */
export function fillFamilies({ metadata, spec }: Draft<Service>, old: ServiceSpec | undefined): void {
  if (spec === undefined || spec.type === "ExternalName" || isStillPreferred(spec, old)) return
  const ofBoth = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (ofBoth ? "RequireDualStack" : "SingleStack")
  const refuse = (errors: readonly FieldError[]) => {
    if (errors.length > 0) throw invalid(services, metadata.name ?? "", errors)
  }
  refuse(clusterAddressErrors(spec as ServiceSpec, old))
  if (old !== undefined && spec.ipFamilyPolicy === "SingleStack") releaseSecond(spec, old)
  refuse([...reductionErrors(spec, old), ...singleErrors(spec), ...inferFamilies(spec)])
  if (ofBoth) addOther(spec)
  else refuse(unconfiguredErrors(spec))
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = [defaultFamily]
}

/** A Service that prefers both families is not changed by what the cluster has by now. One that a write of its status created has none yet. */
function isStillPreferred(spec: Spec, old: ServiceSpec | undefined): boolean {
  if (old?.ipFamilies === undefined || spec.ipFamilyPolicy !== "PreferDualStack" || spec.type !== old.type) return false
  return (
    (old.ipFamilyPolicy ?? "PreferDualStack") === "PreferDualStack" && isSame(spec, old, "clusterIPs") && isSame(spec, old, "ipFamilies")
  )
}

type ListField = "clusterIPs" | "ipFamilies"

function isSame(spec: Spec, old: ServiceSpec, field: ListField): boolean {
  return deepEqual(spec[field] ?? [], old[field] ?? [])
}

/** Fields that were left as they were do not contradict the policy for one family. */
function releaseSecond(spec: Spec, old: ServiceSpec): void {
  const { clusterIPs = [], ipFamilies = [] } = spec
  if (clusterIPs.length > 1 && isSame(spec, old, "clusterIPs")) spec.clusterIPs = clusterIPs.slice(0, 1)
  if (ipFamilies.length > 1 && isSame(spec, old, "ipFamilies")) spec.ipFamilies = ipFamilies.slice(0, 1)
}

function reductionErrors(spec: Spec, old: ServiceSpec | undefined): readonly FieldError[] {
  if (old === undefined || spec.ipFamilyPolicy === "SingleStack") return []
  const isReduced = (field: ListField) => (spec[field] ?? []).length > 0 && spec[field]!.length < (old[field] ?? []).length
  return [
    ...(isReduced("clusterIPs") ? [policyError(spec, "must be 'SingleStack' to release the secondary cluster IP")] : []),
    ...(isReduced("ipFamilies") ? [policyError(spec, "must be 'SingleStack' to release the secondary IP family")] : []),
  ]
}

function singleErrors(spec: Spec): readonly FieldError[] {
  if (spec.ipFamilyPolicy !== "SingleStack") return []
  const rule = (what: string) => `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
  return [
    ...(spec.clusterIPs?.length === 2 ? [policyError(spec, rule("cluster IPs"))] : []),
    ...(spec.ipFamilies?.length === 2 ? [policyError(spec, rule("IP families"))] : []),
  ]
}

function policyError(spec: Spec, rule: string): FieldError {
  return fieldError.invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, rule)
}

/** Adds the families of addresses that have none yet; returns those that the cluster has no addresses of. */
function inferFamilies(spec: Spec): readonly FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec
  if (clusterIPs[0] === "None") return []
  const found = clusterIPs.slice(ipFamilies.length).map((address) => (isIpv6(address) ? ("IPv6" as const) : ("IPv4" as const)))
  if (found.length > 0) spec.ipFamilies = [...ipFamilies, ...found.filter((family) => configured.includes(family))]
  return found.flatMap((family, index) => {
    if (configured.includes(family)) return []
    return [fieldError.invalid(`spec.clusterIPs[${ipFamilies.length + index}]`, clusterIPs, `${family} is not configured on this cluster`)]
  })
}

function addOther(spec: Spec): void {
  const [first = defaultFamily, ...others] = spec.ipFamilies ?? []
  const other: Family = first === "IPv4" ? "IPv6" : "IPv4"
  spec.ipFamilies = [first, ...(others.length === 0 && spec.ipFamilyPolicy !== "SingleStack" ? [other] : others)]
}

function unconfiguredErrors(spec: Spec): readonly FieldError[] {
  const { ipFamilies = [] } = spec
  return [
    ...(spec.ipFamilyPolicy === "RequireDualStack" ? [policyError(spec, "this cluster is not configured for dual-stack services")] : []),
    ...ipFamilies.flatMap((family, index) =>
      configured.includes(family) ? [] : [fieldError.invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")],
    ),
  ]
}
