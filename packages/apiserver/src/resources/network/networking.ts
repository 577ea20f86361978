import { deepEqual, type FieldError, fieldError } from "@pilothouse/api"
import type { Endpoints } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { HTTPIngressPath, Ingress, IngressClass, NetworkPolicy } from "@pilothouse/api/networking/v1"
import { immutable, oneOf, required } from "../../validation/field-rules.ts"
import { type AllowedAddresses, ipErrors, specialAddressErrors } from "../../validation/services/ip-address.ts"
import type { ResourceStrategy } from "../resource.ts"

export const endpoints = endpointsStrategy()

/** The strategy of Endpoints; loopback addresses are refused unless allowed. */
export function endpointsStrategy(allowed: AllowedAddresses = {}): ResourceStrategy<Endpoints> {
  return {
    createOnUpdate: true,
    defaults({ subsets = [] }) {
      for (const { ports = [] } of subsets) for (const port of ports) port.protocol ??= "TCP"
    },
    validate: ({ subsets = [] }, old) => {
      const wrong = subsets.flatMap(({ addresses = [], notReadyAddresses = [] }, index) => [
        ...addresses.flatMap(({ ip = "" }, at) => endpointErrors(ip, `subsets[${index}].addresses[${at}].ip`, allowed)),
        ...notReadyAddresses.flatMap(({ ip = "" }, at) => endpointErrors(ip, `subsets[${index}].notReadyAddresses[${at}].ip`, allowed)),
      ])
      // What was let in once, by an older server or by this one for its own address, does not stand in the way of other changes.
      return wrong.length > 0 && old !== undefined && deepEqual(old.subsets ?? [], subsets) ? [] : wrong
    },
  }
}

/** Upstream looks twice, the second time in its old words. */
function endpointErrors(ip: string, field: string, allowed: AllowedAddresses): readonly FieldError[] {
  const wrong = ipErrors(ip, field)
  if (wrong.length > 0) return [...wrong, fieldError.invalid(field, ip, "must be a valid IP address")]
  return specialAddressErrors(ip, field, allowed)
}

/** More than this would be sent whole to every node at every change. */
const endpointLimit = 1000

export const endpointSlice = endpointSliceStrategy()

/** The strategy of EndpointSlices; loopback addresses are refused unless allowed. */
export function endpointSliceStrategy(allowed: AllowedAddresses = {}): ResourceStrategy<EndpointSlice> {
  const endpointErrors = ({ addresses = [] }: Endpoint, type: string, index: number) =>
    addressErrors(addresses, type, `endpoints[${index}].addresses`, allowed)
  return {
    defaults(object) {
      for (const port of object.ports ?? []) {
        port.name ??= ""
        port.protocol ??= "TCP"
      }
    },
    validate: ({ addressType, endpoints = [], ports = [] }) => [
      ...oneOf(addressType, ["FQDN", "IPv4", "IPv6"], "addressType"),
      ...(endpoints.length > endpointLimit ? [fieldError.tooMany("endpoints", endpoints.length, endpointLimit)] : []),
      ...endpoints.flatMap((endpoint, index) => endpointErrors(endpoint, addressType, index)),
      ...ports.flatMap((port, index) => oneOf(port.protocol, ["SCTP", "TCP", "UDP"], `ports[${index}].protocol`)),
    ],
    validateUpdate: (object, old) => immutable(object.addressType, old.addressType, "addressType"),
    generation: (object, old) => !deepEqual(contentOf(object), contentOf(old)),
  }
}

/** All that a proxy acts on. */
function contentOf({ metadata, ...rest }: EndpointSlice): unknown {
  return { ...rest, labels: metadata.labels }
}

function addressErrors(addresses: readonly string[], type: string, field: string, allowed: AllowedAddresses): readonly FieldError[] {
  if (addresses.length === 0) return [fieldError.required(field, "must contain at least 1 address")]
  return addresses.flatMap((address, index) => {
    const at = `${field}[${index}]`
    const wrong = type === "FQDN" ? [] : ipErrors(address, at)
    return wrong.length > 0 ? wrong : specialAddressErrors(address, at, allowed)
  })
}

export const networkPolicy: ResourceStrategy<NetworkPolicy> = {
  defaults({ spec }) {
    if (spec === undefined) return
    spec.policyTypes ??= (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"]
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) for (const port of rule.ports ?? []) port.protocol ??= "TCP"
  },
  validate: ({ spec }) =>
    (spec?.policyTypes ?? []).flatMap((type, index) => oneOf(type, ["Ingress", "Egress"], `spec.policyTypes[${index}]`)),
  generation: "spec",
  generationInMemory: "spec",
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"]

function pathErrors({ path = "", pathType }: Partial<HTTPIngressPath>, field: string): readonly FieldError[] {
  if (pathType === undefined) return [fieldError.required(`${field}.pathType`, "pathType must be specified")]
  if (!pathTypes.includes(pathType)) return [fieldError.notSupported(`${field}.pathType`, pathType, pathTypes)]
  const free = pathType === "ImplementationSpecific" && path === ""
  return free || path.startsWith("/") ? [] : [fieldError.invalid(`${field}.path`, path, "must be an absolute path")]
}

export const ingress: ResourceStrategy<Ingress> = {
  validate: ({ spec }) => {
    const rules = spec?.rules ?? []
    const none = rules.length === 0 && spec?.defaultBackend === undefined
    return [
      ...(none ? [fieldError.invalid("spec", spec?.rules ?? null, "either `defaultBackend` or `rules` must be specified")] : []),
      ...rules.flatMap((rule, index) =>
        (rule.http?.paths ?? []).flatMap((path, at) => pathErrors(path, `spec.rules[${index}].http.paths[${at}]`)),
      ),
    ]
  },
  prepareForCreate(object) {
    object.status = { loadBalancer: {} }
  },
  generation: "spec",
}

export const ingressClass: ResourceStrategy<IngressClass> = {
  generation: "spec",
  defaults({ spec }) {
    if (spec?.parameters !== undefined) spec.parameters.scope ??= "Cluster"
  },
  validate: ({ spec }) => required(spec?.controller, "spec.controller"),
  validateUpdate: ({ spec }, { spec: old }) => immutable(spec?.controller, old?.controller, "spec.controller"),
}
