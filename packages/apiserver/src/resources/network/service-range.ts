import { checkDns1123Subdomain, checkPathSegmentName, type FieldError, fieldError } from "@pilothouse/api"
import { parseCidr } from "@pilothouse/api/net"
import type { IPAddress, ServiceCIDR } from "@pilothouse/api/networking/v1"
import { immutable, named } from "../../validation/field-rules.ts"
import { canonicalCidrFault, canonicalIpFault } from "../../validation/services/ip-address.ts"
import type { ResourceStrategy } from "../resource.ts"

/** The server creates one for each address of a Service; users reserve addresses with others. */
export const ipAddress: ResourceStrategy<IPAddress> = {
  names: (name) => faults(canonicalIpFault(name)),
  reserve(object, old, allocations) {
    if (old === undefined) allocations.refuseInFlight(object.metadata.name ?? "")
    return nothingHeld
  },
  validate: ({ spec }) => parentErrors(spec?.parentRef),
  validateUpdate: ({ spec }, old) => immutable(spec?.parentRef, old.spec?.parentRef, "spec.parentRef"),
}

function faults(fault: string | undefined): readonly string[] {
  return fault === undefined ? [] : [fault]
}

const nothingHeld: Disposable = { [Symbol.dispose]: () => {} }

function parentErrors(parent: IPAddress["spec"]["parentRef"] | undefined): readonly FieldError[] {
  const field = "spec.parentRef"
  if (parent === undefined) return [fieldError.required(field)]
  const { group = "", namespace = "" } = parent
  return [
    ...(group === "" ? [] : named(group, checkDns1123Subdomain, `${field}.group`)),
    ...named(parent.resource, checkPathSegmentName, `${field}.resource`),
    ...named(parent.name, checkPathSegmentName, `${field}.name`),
    ...(namespace === "" ? [] : named(namespace, checkPathSegmentName, `${field}.namespace`)),
  ]
}

export const serviceCidr: ResourceStrategy<ServiceCIDR> = {
  statusKeeps: "metadata",
  validate: ({ spec }, old) => (old === undefined ? rangeErrors(spec) : []),
  validateUpdate: ({ spec }, { spec: old }) => changeErrors(spec, old),
}

const rangesField = "spec.cidrs"

function rangeErrors(spec: ServiceCIDR["spec"]): readonly FieldError[] {
  const cidrs = spec?.cidrs ?? []
  if (cidrs.length === 0) return [fieldError.required(rangesField, "at least one CIDR required")]
  if (cidrs.length > 2) return [fieldError.invalid(rangesField, spec, "may only hold up to 2 values")]
  const [first, second] = cidrs.map((text) => parseCidr(text)?.family)
  const text = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
  return [
    ...cidrs.flatMap((cidr, index) =>
      faults(canonicalCidrFault(cidr)).map((text) => fieldError.invalid(`${rangesField}[${index}]`, cidr, text)),
    ),
    ...(first !== undefined && first === second ? [fieldError.invalid(rangesField, cidrs, text)] : []),
  ]
}

/** A range may be extended to the other family and is otherwise immutable. */
function changeErrors(spec: ServiceCIDR["spec"], oldSpec: ServiceCIDR["spec"]): readonly FieldError[] {
  const [cidrs, old] = [spec?.cidrs ?? [], oldSpec?.cidrs ?? []]
  const isExtended = old.length === 1 && cidrs.length === 2
  if (cidrs.length !== old.length && !isExtended) return [fieldError.invalid(rangesField, cidrs, "field is immutable")]
  const kept = old.flatMap((text, index) => immutable(cidrs[index], text, `${rangesField}[${index}]`))
  return isExtended ? [...kept, ...rangeErrors(spec)] : kept
}
