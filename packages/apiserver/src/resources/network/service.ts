import { checkDns1123Label, deepEqual } from "@pilothouse/api"
import type { Service, ServiceSpec } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { isExternallyAccessible, mayHaveNodePorts, needsHealthCheck, needsNodePort } from "../../services/service-ports.ts"
import { validateService, validateServiceUpdate } from "../../validation/services/service.ts"
import { validateServiceStatus } from "../../validation/services/service-balancer.ts"
import { serviceWarnings } from "../../validation/services/service-warnings.ts"
import type { ResourceStrategy } from "../resource.ts"
import { fillFamilies } from "./service-families.ts"

export const service: ResourceStrategy<Service> = {
  names: checkDns1123Label,
  defaults({ spec, status }) {
    if (spec === undefined) return
    defaultService(spec)
    if (spec.type !== "LoadBalancer") return
    for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= "VIP"
  },
  prepareForCreate(object) {
    object.status = { loadBalancer: {} }
    hideInternalPolicy(object.spec)
  },
  prepareForUpdate(object, old) {
    keepAddresses(object, old)
    dropTypeFields(object, old)
    hideInternalPolicy(object.spec)
    // The balancer is deleted later; its address is hidden at once.
    if (object.spec?.type !== "LoadBalancer") object.status = { ...object.status, loadBalancer: {} }
  },
  reserve(object, old, allocations) {
    // As upstream, not where a write of the status creates a Service: one that has one of the two fields alone is refused there.
    if (old === undefined) listClusterIp(object.spec)
    fillFamilies(object, old?.spec)
    return allocations.reserve(object, old)
  },
  companionWrites: (object, old, allocations) => allocations.ipAddressWrites(object, old),
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  validateStatusUpdate: validateServiceStatus,
  warnings: serviceWarnings,
  createOnUpdate: true,
  deleteAnswer: "object",
  fields: { "spec.clusterIP": ({ spec }) => spec?.clusterIP ?? "", "spec.type": ({ spec }) => spec?.type ?? "" },
}

function defaultService(spec: Draft<ServiceSpec>): void {
  spec.type ??= "ClusterIP"
  spec.sessionAffinity ??= "None"
  if (spec.sessionAffinity === "ClientIP") defaultAffinity(spec)
  else if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig
  for (const port of spec.ports ?? []) port.targetPort ||= port.port
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= "Cluster"
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster"
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true
}

function defaultAffinity(spec: Draft<ServiceSpec>): void {
  spec.sessionAffinityConfig ??= {}
  spec.sessionAffinityConfig.clientIP ??= {}
  spec.sessionAffinityConfig.clientIP.timeoutSeconds ??= 10800
}

/** The one address that old clients write is the first of the list that new ones do. */
function listClusterIp(spec: Draft<ServiceSpec> | undefined): void {
  if (spec === undefined) return
  if (spec.clusterIP === "") delete spec.clusterIP
  if (spec.clusterIP !== undefined) spec.clusterIPs ??= [spec.clusterIP]
}

function mirrorClusterIp(spec: Draft<ServiceSpec>): void {
  listClusterIp(spec)
  if (spec.clusterIP === undefined && spec.clusterIPs?.[0] !== undefined) spec.clusterIP = spec.clusterIPs[0]
}

/** A client that replaces a service need not know what was allocated for it. */
function keepAddresses({ spec }: Draft<Service>, { spec: old }: Service): void {
  if (spec === undefined || old === undefined) return
  if (spec.type !== "ExternalName") keepClusterIp(spec, old)
  if (needsNodePort(spec) && old.ports !== undefined) keepNodePorts(spec, old)
  if ((spec.healthCheckNodePort ?? 0) === 0 && needsHealthCheck(spec)) spec.healthCheckNodePort = old.healthCheckNodePort
  for (const key of Object.keys(spec) as (keyof typeof spec)[]) if (spec[key] === undefined) delete spec[key]
}

function keepClusterIp(spec: Draft<ServiceSpec>, old: ServiceSpec): void {
  // An old client knows of the one only, and a patch leaves the list as it was.
  if (spec.clusterIP && spec.clusterIP !== old.clusterIP && deepEqual(spec.clusterIPs, old.clusterIPs)) spec.clusterIPs = [spec.clusterIP]
  if ((spec.clusterIP ?? "") === "" && spec.clusterIPs === undefined && old.type !== "ExternalName") {
    spec.clusterIP = old.clusterIP
    spec.clusterIPs = old.clusterIPs && [...old.clusterIPs]
  }
  mirrorClusterIp(spec)
  spec.ipFamilies ??= old.ipFamilies && [...old.ipFamilies]
  spec.ipFamilyPolicy ??= old.ipFamilyPolicy
}

function keepNodePorts(spec: Draft<ServiceSpec>, old: ServiceSpec): void {
  const used = new Set(spec.ports?.map(({ nodePort }) => nodePort))
  const oldPorts = Map.groupBy(old.ports ?? [], ({ port, protocol }) => `${port}/${protocol}`)
  for (const port of spec.ports ?? []) {
    const before = oldPorts.get(`${port.port}/${port.protocol}`)?.[0]?.nodePort
    if (port.nodePort === undefined && before !== undefined && !used.has(before)) port.nodePort = before
  }
}

/** What belongs to a type goes when the type changes, unless the client says otherwise by changing it itself. */
function dropTypeFields({ spec }: Draft<Service>, { spec: old }: Service): void {
  if (spec === undefined || old === undefined) return
  // This one belongs to the traffic policy too, the next to external addresses.
  if (!needsHealthCheck(spec) && spec.healthCheckNodePort === old.healthCheckNodePort) delete spec.healthCheckNodePort
  dropTrafficPolicy(spec, old)
  if (spec.type === old.type) return
  if (spec.type === "ExternalName") {
    delete spec.clusterIP
    delete spec.clusterIPs
    delete spec.ipFamilies
    delete spec.ipFamilyPolicy
  }
  if (!mayHaveNodePorts(spec)) {
    const before = new Set(old.ports?.map(({ nodePort }) => nodePort))
    for (const port of spec.ports ?? []) if (before.has(port.nodePort)) delete port.nodePort
  }
  if (spec.type === "LoadBalancer") return
  for (const key of ["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const) if (spec[key] === old[key]) delete spec[key]
}

/** Clients may leave it in place when they make a Service external; upstream stores it then, and shows it no more. */
function hideInternalPolicy(spec: Draft<ServiceSpec> | undefined): void {
  if (spec?.type === "ExternalName" && internalPolicies.includes(spec.internalTrafficPolicy)) delete spec.internalTrafficPolicy
}

const internalPolicies: readonly (string | undefined)[] = ["Cluster", "Local"]

/** A service without external access has no such policy. One that the client changes itself stays, and is refused by validation. */
function dropTrafficPolicy(spec: Draft<ServiceSpec>, old: ServiceSpec): void {
  const closes = isExternallyAccessible(old) && !isExternallyAccessible(spec)
  if (closes && spec.externalTrafficPolicy === old.externalTrafficPolicy) delete spec.externalTrafficPolicy
}
