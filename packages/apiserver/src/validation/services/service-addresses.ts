import { type FieldError, fieldError } from "@pilothouse/api"
import type { ServiceSpec } from "@pilothouse/api/core/v1"
import { duplicates } from "../field-rules.ts"
import { ipErrors, isIpv6, specialAddressErrors } from "./ip-address.ts"

const families: readonly string[] = ["IPv4", "IPv6"]
const policies: readonly string[] = ["PreferDualStack", "RequireDualStack", "SingleStack"]

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
    ...(spec.ipFamilyPolicy === undefined || policies.includes(spec.ipFamilyPolicy)
      ? []
      : [fieldError.notSupported("spec.ipFamilyPolicy", spec.ipFamilyPolicy, policies)]),
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

export function externalAddressErrors(spec: ServiceSpec, old: ServiceSpec | undefined): readonly FieldError[] {
  const before = new Set(old?.externalIPs)
  return (spec.externalIPs ?? []).flatMap((address, index) => {
    const field = `spec.externalIPs[${index}]`
    const wrong = ipErrors(address, field, before)
    return wrong.length > 0 ? wrong : specialAddressErrors(address, field)
  })
}
