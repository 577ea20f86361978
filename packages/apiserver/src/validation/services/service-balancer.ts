import { checkDns1123Subdomain, checkPortNumber, type FieldError, fieldError } from "@pilothouse/api"
import type { LoadBalancerIngress, Service, ServiceSpec } from "@pilothouse/api/core/v1"
import { needsHealthCheck } from "../../services/service-ports.ts"
import { cidrErrors, ipErrors, isIp } from "./ip-address.ts"
import { qualified } from "./service-ports.ts"

const onlyBalancers = "may only be used when `type` is 'LoadBalancer'"
const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges"

/** Validates loadBalancerSourceRanges, or the older annotation. Spaces around a range belong to the API. */
export function sourceRangeErrors({ metadata, spec = {} }: Service, old: Service | undefined): readonly FieldError[] {
  const ranges = spec.loadBalancerSourceRanges ?? []
  const annotated = metadata.annotations?.[rangesAnnotation]
  if (ranges.length > 0) {
    const field = "spec.LoadBalancerSourceRanges"
    const before = new Set(old?.spec?.loadBalancerSourceRanges?.map((range) => range.trim()))
    return [...notABalancer(spec, field), ...ranges.flatMap((range, index) => cidrErrors(range.trim(), `${field}[${index}]`, before))]
  }
  if (annotated === undefined) return []
  const field = `metadata.annotations[${rangesAnnotation}]`
  const isNew = annotated !== old?.metadata.annotations?.[rangesAnnotation] && annotated.trim() !== ""
  return [...notABalancer(spec, field), ...(isNew ? annotated.split(",").flatMap((range) => cidrErrors(range.trim(), field)) : [])]
}

function notABalancer({ type }: ServiceSpec, field: string): readonly FieldError[] {
  return type === "LoadBalancer" ? [] : [fieldError.forbidden(field, onlyBalancers)]
}

export function balancerErrors(spec: ServiceSpec): readonly FieldError[] {
  const balanced = spec.type === "LoadBalancer"
  const { allocateLoadBalancerNodePorts: allocates, loadBalancerClass: ofClass } = spec
  return [
    ...(allocates === undefined ? [] : notABalancer(spec, "spec.allocateLoadBalancerNodePorts")),
    ...(ofClass === undefined ? [] : notABalancer(spec, "spec.loadBalancerClass")),
    ...(balanced ? qualified(ofClass, "spec.loadBalancerClass") : []),
  ]
}

/** The class is immutable: the controller of the old one would not know that another owns the balancer now. */
export function balancerChanges(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  if (spec.type !== "LoadBalancer" || old.type !== "LoadBalancer" || spec.loadBalancerClass === old.loadBalancerClass) return []
  return [fieldError.invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, "may not change once set")]
}

export function healthPortErrors(spec: ServiceSpec): readonly FieldError[] {
  const port = spec.healthCheckNodePort ?? 0
  const field = "spec.healthCheckNodePort"
  if (port === 0) return []
  if (needsHealthCheck(spec)) return checkPortNumber(port).map((text) => fieldError.invalid(field, port, text))
  return [fieldError.invalid(field, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")]
}

/** The port is immutable: a balancer probes it already. */
export function healthPortChanges(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  if (!needsHealthCheck(spec) || !needsHealthCheck(old) || spec.healthCheckNodePort === old.healthCheckNodePort) return []
  return [fieldError.forbidden("spec.healthCheckNodePort", "field is immutable")]
}

export function validateServiceStatus({ spec, status }: Service, old: Service): readonly FieldError[] {
  const ingress = status?.loadBalancer?.ingress ?? []
  const field = "status.loadBalancer.ingress"
  if (spec?.type !== "LoadBalancer" && ingress.length > 0) {
    return [fieldError.forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")]
  }
  const before = new Set(old.status?.loadBalancer?.ingress?.map(({ ip = "" }) => ip))
  return ingress.flatMap((one, index) => ingressErrors(one, `${field}[${index}]`, before))
}

const modes: readonly string[] = ["Proxy", "VIP"]

function ingressErrors(
  { ip = "", ipMode, hostname = "" }: LoadBalancerIngress,
  field: string,
  before: ReadonlySet<string>,
): readonly FieldError[] {
  return [
    ...(ip === "" ? [] : ipErrors(ip, `${field}.ip`, before)),
    ...modeErrors(ip, ipMode, `${field}.ipMode`),
    ...(hostname === "" ? [] : hostnameErrors(hostname, `${field}.hostname`)),
  ]
}

function modeErrors(ip: string, mode: string | undefined, field: string): readonly FieldError[] {
  if (mode === undefined) return ip === "" ? [] : [fieldError.required(field, "must be specified when `ip` is set")]
  if (ip === "") return [fieldError.forbidden(field, "may not be specified when `ip` is not set")]
  return modes.includes(mode) ? [] : [fieldError.notSupported(field, mode, modes)]
}

function hostnameErrors(hostname: string, field: string): readonly FieldError[] {
  const wrong = [...checkDns1123Subdomain(hostname), ...(isIp(hostname) ? ["must be a DNS name, not an IP address"] : [])]
  return wrong.map((text) => fieldError.invalid(field, hostname, text))
}
