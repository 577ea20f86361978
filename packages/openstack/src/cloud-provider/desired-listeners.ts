import { matchesLabels, parseLabelSelector } from "@pilothouse/api"
import type { Node, Service, ServicePort } from "@pilothouse/api/core/v1"
import { CloudError } from "@pilothouse/cloud"
import type { ListenerProtocol, NewHealthMonitor, NewListenerTree, NewMember, NewPoolTree, PoolProtocol } from "../clients/octavia/types.ts"
import type { Features } from "./features.ts"
import { partName } from "./names.ts"
import type { ServiceOptions } from "./service-options.ts"
import { sourceRanges } from "./source-ranges.ts"

export interface DesiredInput {
  readonly service: Service
  readonly nodes: readonly Node[]
  readonly options: ServiceOptions
  readonly memberSubnet: string | undefined
  /** The name of the balancer: also the tag of all its parts. */
  readonly name: string
  readonly features: Features
}

export type DesiredListener = NewListenerTree & { readonly default_pool: NewPoolTree }

/** The listeners of a Service, each with its pool: one for every port. Pure. */
export function desiredListeners(input: DesiredInput): readonly DesiredListener[] {
  const ports = input.service.spec?.ports ?? []
  if (ports.length === 0) throw new CloudError("expected a Service with ports, found none", { retryable: false })
  return ports.map((port, index) => desiredListener(input, port, index))
}

function desiredListener(input: DesiredInput, port: ServicePort, index: number): DesiredListener {
  const { options, name, service, features } = input
  const protocol = listenerProtocol(port, options)
  return {
    name: partName("listener", index, name),
    protocol,
    protocol_port: port.port,
    connection_limit: options.connectionLimit,
    ...(features.sourceRanges && { allowed_cidrs: sourceRanges(service) }),
    ...(features.tags && { tags: [name] }),
    ...(options.forwardedFor ? { insert_headers: { "X-Forwarded-For": "true" } } : {}),
    ...(options.tlsContainer === undefined ? {} : { default_tls_container_ref: options.tlsContainer }),
    ...(features.timeouts && protocol !== "UDP" ? options.timeouts : {}),
    default_pool: desiredPool(input, port, index),
  }
}

function listenerProtocol({ protocol = "TCP" }: ServicePort, options: ServiceOptions): ListenerProtocol {
  if (protocol === "TCP" && options.tlsContainer !== undefined) return "TERMINATED_HTTPS"
  if (protocol === "TCP" && options.forwardedFor) return "HTTP"
  return protocol as ListenerProtocol
}

function desiredPool(input: DesiredInput, port: ServicePort, index: number): NewPoolTree {
  const { options, name, service, features } = input
  const monitor = desiredMonitor(input, port, index)
  return {
    name: partName("pool", index, name),
    protocol: poolProtocol(port, options),
    lb_algorithm: options.method,
    ...(features.tags && { tags: [name] }),
    session_persistence: service.spec?.sessionAffinity === "ClientIP" ? { type: "SOURCE_IP" } : null,
    members: desiredMembers(input, port),
    ...(monitor === undefined ? {} : { healthmonitor: monitor }),
  }
}

function poolProtocol({ protocol = "TCP" }: ServicePort, options: ServiceOptions): PoolProtocol {
  if (protocol !== "TCP") return protocol as PoolProtocol
  if (options.proxy !== undefined) return options.proxy
  return options.forwardedFor || options.tlsContainer !== undefined ? "HTTP" : "TCP"
}

/** One for every node that has an address of the Service's family; none for a port without a node port. */
export function desiredMembers({ nodes, service, options, memberSubnet }: DesiredInput, port: ServicePort): readonly NewMember[] {
  const { nodePort } = port
  if (!nodePort) return []
  const check = healthPort(service)
  return nodes.flatMap((node) => {
    const address = nodeAddress(node, service.spec?.ipFamilies?.[0])
    if (address === undefined || !isSelected(node, options.nodeSelector)) return []
    const subnet = memberSubnet === undefined ? {} : { subnet_id: memberSubnet }
    const monitor = options.monitor !== undefined && check !== undefined ? { monitor_port: check } : {}
    return [{ name: node.metadata.name ?? "", address, protocol_port: nodePort, ...subnet, ...monitor }]
  })
}

/** InternalIP, else ExternalIP. */
export function nodeAddress({ status }: Node, family: string | undefined): string | undefined {
  const fits = ({ address }: { address: string }) => address.includes(":") === (family === "IPv6")
  const of = (type: string) => status?.addresses?.find((one) => one.type === type && fits(one))?.address
  return of("InternalIP") ?? of("ExternalIP")
}

/** "a=b,c": a label with a value, or a label alone. */
export function isSelected({ metadata }: Node, selector: string | undefined): boolean {
  return !selector || matchesLabels(parseLabelSelector(selector), metadata.labels ?? {})
}

function healthPort({ spec }: Service): number | undefined {
  return spec?.externalTrafficPolicy === "Local" && spec.healthCheckNodePort ? spec.healthCheckNodePort : undefined
}

function desiredMonitor(
  { options, service, name }: DesiredInput,
  { protocol }: ServicePort,
  index: number,
): Omit<NewHealthMonitor, "pool_id"> | undefined {
  if (options.monitor === undefined) return undefined
  const shared = { name: partName("monitor", index, name), ...options.monitor }
  // Only a node with a ready pod answers there, and only such nodes may get traffic.
  if (healthPort(service) !== undefined) return { ...shared, type: "HTTP", url_path: "/healthz" }
  return { ...shared, type: protocol === "UDP" ? "UDP-CONNECT" : "TCP" }
}
