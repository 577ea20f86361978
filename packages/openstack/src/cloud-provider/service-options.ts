import { ownValue } from "@pilothouse/api"
import type { Service } from "@pilothouse/api/core/v1"
import { CloudError } from "@pilothouse/cloud"
import type { BalancerNetworkSettings, BalancerSettings } from "./settings.ts"

/** Of the annotations of cloud-provider-openstack. */
export const prefix = "loadbalancer.openstack.org/"

/** What a Service's annotations ask for, over what is configured. */
export interface ServiceOptions extends BalancerNetworkSettings {
  readonly balancerId?: string
  readonly internal: boolean
  readonly portId?: string
  readonly keepFloatingIp: boolean
  readonly provider?: string
  readonly flavorId?: string
  readonly availabilityZone?: string
  readonly connectionLimit: number
  readonly method: string
  /** Of the pools. */
  readonly proxy?: "PROXY" | "PROXYV2"
  readonly forwardedFor: boolean
  readonly tlsContainer?: string
  readonly hostname?: string
  /** With the PROXY protocol: what is put behind the address to make a host name of it. */
  readonly proxyHostnames?: string
  readonly nodeSelector?: string
  readonly timeouts: Readonly<
    Record<"timeout_client_data" | "timeout_member_connect" | "timeout_member_data" | "timeout_tcp_inspect", number>
  >
  readonly monitor?: { readonly delay: number; readonly timeout: number; readonly max_retries: number; readonly max_retries_down: number }
}

/** Reads the annotations of a Service, with the settings of the provider as defaults. Throws a final CloudError for contradictions. */
export function readServiceOptions(service: Service, settings: BalancerSettings): ServiceOptions {
  const read = new Annotations(service)
  const internal = read.flag("service.beta.kubernetes.io/openstack-internal-load-balancer", settings.internal ?? false, "")
  const proxy = proxyProtocol(read.text("proxy-protocol"))
  const forwardedFor = read.flag("x-forwarded-for", false)
  if (proxy !== undefined && forwardedFor) {
    throw new CloudError("expected proxy-protocol or x-forwarded-for, found both annotations; remove one", { retryable: false })
  }
  return {
    balancerId: read.text("load-balancer-id"),
    internal,
    ...networkOptions(read, settings, internal),
    portId: read.text("port-id"),
    keepFloatingIp: read.flag("keep-floatingip", false),
    provider: settings.provider,
    flavorId: read.text("flavor-id") ?? settings.flavorId,
    availabilityZone: read.text("availability-zone") ?? settings.availabilityZone,
    connectionLimit: read.number("connection-limit", -1),
    method: read.text("lb-method") ?? settings.method ?? "ROUND_ROBIN",
    proxy,
    forwardedFor,
    tlsContainer: read.text("default-tls-container-ref"),
    hostname: read.text("hostname"),
    proxyHostnames: settings.enableIngressHostname ? (settings.ingressHostnameSuffix ?? "nip.io") : undefined,
    nodeSelector: read.text("node-selector") ?? settings.nodeSelector,
    timeouts: {
      timeout_client_data: read.number("timeout-client-data", 50_000),
      timeout_member_connect: read.number("timeout-member-connect", 5_000),
      timeout_member_data: read.number("timeout-member-data", 50_000),
      timeout_tcp_inspect: read.number("timeout-tcp-inspect", 0),
    },
    monitor: monitorOptions(read, settings),
  }
}

/** For Services to the outside a class wins over annotations, and these over the configuration. */
function networkOptions(read: Annotations, settings: BalancerSettings, internal: boolean): BalancerNetworkSettings {
  const byClass = internal ? {} : classOptions(read, settings)
  const pick = (key: keyof BalancerNetworkSettings, annotation: string) => byClass[key] ?? read.text(annotation) ?? settings[key]
  return {
    subnetId: pick("subnetId", "subnet-id"),
    networkId: pick("networkId", "network-id"),
    memberSubnetId: pick("memberSubnetId", "member-subnet-id"),
    floatingNetworkId: pick("floatingNetworkId", "floating-network-id"),
    ...floatingSubnetOptions(read, byClass, settings),
  }
}

/** The settings of one place are used together: a name of the annotations is not combined with an ID of the configuration. */
function floatingSubnetOptions(read: Annotations, ...otherwise: readonly BalancerNetworkSettings[]): BalancerNetworkSettings {
  const [byClass = {}, settings = {}] = otherwise
  const annotated = {
    floatingSubnetId: read.text("floating-subnet-id"),
    floatingSubnet: read.text("floating-subnet"),
    floatingSubnetTags: read.text("floating-subnet-tags"),
  }
  const said = ({ floatingSubnetId, floatingSubnet, floatingSubnetTags }: BalancerNetworkSettings) =>
    floatingSubnetId ?? floatingSubnet ?? floatingSubnetTags
  const from = [byClass, annotated, settings].find((one) => said(one) !== undefined) ?? {}
  const { floatingSubnetId, floatingSubnet, floatingSubnetTags } = from
  return { floatingSubnetId, floatingSubnet, floatingSubnetTags }
}

function classOptions(read: Annotations, { classes = {} }: BalancerSettings): BalancerNetworkSettings {
  const name = read.text("class")
  if (name === undefined) return {}
  const found = ownValue(classes, name)
  if (found !== undefined) return found
  const known = Object.keys(classes).join(", ") || "none"
  throw new CloudError(`expected a configured load balancer class, found "${name}"; known are ${known}`, { retryable: false })
}

function monitorOptions(read: Annotations, { createMonitor = false, monitor = {} }: BalancerSettings): ServiceOptions["monitor"] {
  if (!read.flag("enable-health-monitor", createMonitor)) return undefined
  return {
    delay: read.number("health-monitor-delay", monitor.delay ?? 5),
    timeout: read.number("health-monitor-timeout", monitor.timeout ?? 3),
    max_retries: read.number("health-monitor-max-retries", monitor.maxRetries ?? 1),
    max_retries_down: read.number("health-monitor-max-retries-down", monitor.maxRetriesDown ?? 3),
  }
}

function proxyProtocol(text: string | undefined): ServiceOptions["proxy"] {
  if (text === "true" || text === "v1") return "PROXY"
  return text === "v2" ? "PROXYV2" : undefined
}

class Annotations {
  readonly #values: Readonly<Record<string, string>>

  constructor({ metadata }: Service) {
    this.#values = metadata.annotations ?? {}
  }

  /** Empty is as good as absent. */
  text(name: string, of = prefix): string | undefined {
    return this.#values[`${of}${name}`] || undefined
  }

  flag(name: string, otherwise: boolean, of = prefix): boolean {
    const text = this.text(name, of)
    if (text === undefined) return otherwise
    if (text === "true" || text === "false") return text === "true"
    throw new CloudError(`expected true or false as the annotation ${of}${name}, found "${text}"`, { retryable: false })
  }

  number(name: string, otherwise: number): number {
    const text = this.text(name)
    if (text === undefined) return otherwise
    if (/^-?\d+$/.test(text)) return Number(text)
    throw new CloudError(`expected a whole number as the annotation ${prefix}${name}, found "${text}"`, { retryable: false })
  }
}
