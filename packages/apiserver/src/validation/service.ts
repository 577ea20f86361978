import { checkDns1123Label, checkDns1123Subdomain, checkPortNumber, type FieldError, fieldError } from "@pilothouse/api"
import type { Service, ServicePort, ServiceSpec } from "@pilothouse/api/core/v1"
import { needsHealthCheck } from "../resources/service-ports.ts"
import { duplicates, named, oneOf } from "./field-rules.ts"
import { portErrors as numberOrName } from "./handler.ts"
import { cidrErrors, ipErrors } from "./ip-address.ts"
import { validateLabels } from "./object-meta.ts"

export function validateService({ spec = {} }: Service): readonly FieldError[] {
  const headless = spec.clusterIPs?.[0] === "None"
  const ports = spec.ports ?? []
  return [
    ...(ports.length === 0 && !headless && spec.type !== "ExternalName" ? [fieldError.required("spec.ports")] : []),
    ...typeErrors(spec, headless),
    ...ports.flatMap((port, index) => portErrors(port, ports.length > 1, `spec.ports[${index}]`)),
    ...duplicates(
      ports.map(({ name }) => name),
      (index) => `spec.ports[${index}].name`,
    ),
    ...validateLabels(spec.selector, "spec.selector"),
    ...oneOf(spec.sessionAffinity, ["ClientIP", "None"], "spec.sessionAffinity"),
    ...oneOf(spec.type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"], "spec.type"),
    ...duplicatePorts(ports),
    ...nodePortErrors(spec),
    ...trafficErrors(spec),
    ...healthPortErrors(spec),
    ...addressErrors(spec),
  ]
}

function typeErrors(spec: ServiceSpec, headless: boolean): readonly FieldError[] {
  if (spec.type === "ExternalName") {
    return [
      ...((spec.clusterIPs ?? []).length > 0 ? [fieldError.forbidden("spec.clusterIPs", "may not be set for ExternalName services")] : []),
      ...named(spec.externalName?.replace(/\.$/, ""), checkDns1123Subdomain, "spec.externalName"),
    ]
  }
  if (!headless || (spec.type !== "LoadBalancer" && spec.type !== "NodePort")) return []
  return [fieldError.invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${spec.type} services`)]
}

function portErrors(port: ServicePort, needsName: boolean, field: string): readonly FieldError[] {
  const name = port.name ?? ""
  return [
    ...(name === "" ? (needsName ? [fieldError.required(`${field}.name`)] : []) : named(name, checkDns1123Label, `${field}.name`)),
    ...checkPortNumber(port.port ?? 0).map((text) => fieldError.invalid(`${field}.port`, port.port ?? 0, text)),
    ...oneOf(port.protocol, ["SCTP", "TCP", "UDP"], `${field}.protocol`),
    ...(port.targetPort === undefined ? [] : numberOrName(port.targetPort, `${field}.targetPort`)),
  ]
}

function duplicatePorts(ports: readonly ServicePort[]): readonly FieldError[] {
  const keys = ports.map(({ port, protocol }) => `${port}/${protocol}`)
  return ports.flatMap(({ port, protocol }, index) =>
    keys.indexOf(keys[index]!) < index ? [fieldError.duplicate(`spec.ports[${index}]`, inGo(protocol, port))] : [],
  )
}

/** As Go has it in memory, with what is compared. */
function inGo(protocol: string | undefined, port: number): unknown {
  return { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }
}

const policies = ["Cluster", "Local"]

function trafficErrors({ type, externalTrafficPolicy: policy }: ServiceSpec): readonly FieldError[] {
  const field = "spec.externalTrafficPolicy"
  if (policy === undefined) return []
  if (type === "ClusterIP") return [fieldError.invalid(field, policy, "may only be set for externally-accessible services")]
  return policies.includes(policy) ? [] : [fieldError.notSupported(field, policy, policies)]
}

function healthPortErrors(spec: ServiceSpec): readonly FieldError[] {
  const port = spec.healthCheckNodePort ?? 0
  if (port === 0 || needsHealthCheck(spec)) return []
  const rule = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
  return [fieldError.invalid("spec.healthCheckNodePort", port, rule)]
}

const families: readonly string[] = ["IPv4", "IPv6"]

function addressErrors(spec: ServiceSpec): readonly FieldError[] {
  return [
    ...(spec.externalIPs ?? []).flatMap((address, index) => ipErrors(address, `spec.externalIPs[${index}]`)),
    ...(spec.loadBalancerSourceRanges ?? []).flatMap((range, index) => cidrErrors(range, `spec.LoadBalancerSourceRanges[${index}]`)),
    ...(spec.ipFamilies ?? []).flatMap((family, index) =>
      families.includes(family) ? [] : [fieldError.notSupported(`spec.ipFamilies[${index}]`, family, families)],
    ),
  ]
}

function nodePortErrors({ type, ports = [] }: ServiceSpec): readonly FieldError[] {
  if (type !== "ClusterIP") return []
  return ports.flatMap(({ nodePort }, index) =>
    nodePort === undefined || nodePort === 0
      ? []
      : [fieldError.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
  )
}

export function validateServiceUpdate({ spec = {} }: Service, { spec: old = {} }: Service): readonly FieldError[] {
  return [...addressChanges(spec, old), ...healthPortChanges(spec, old)]
}

/** Everybody who talks to a service has its address: it stays, unless there is none before or after. */
function addressChanges(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  if (spec.type === "ExternalName" || old.type === "ExternalName") return []
  const [now, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []]
  if (before[0] === undefined || before[0] === now[0]) return []
  if (now[0] === undefined) return [fieldError.invalid("spec.clusterIPs[0]", now, "primary clusterIP can not be unset")]
  return [fieldError.invalid("spec.clusterIPs[0]", now, "may not change once set")]
}

/** A balancer has been told of it. */
function healthPortChanges(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  if (!needsHealthCheck(spec) || !needsHealthCheck(old) || spec.healthCheckNodePort === old.healthCheckNodePort) return []
  return [fieldError.forbidden("spec.healthCheckNodePort", "field is immutable")]
}
