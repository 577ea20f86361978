import type { Service, ServicePort } from "@pilothouse/api/core/v1"
import { type Cidr, parseCidr } from "@pilothouse/api/net"
import { CloudError } from "../provider/cloud-errors.ts"
import type { MappedPort } from "./listener/mapped-port.ts"
import { ipv6Address, serviceFamilies } from "./loopback-address.ts"
import type { Affinity } from "./targets/targets.ts"

type Spec = NonNullable<Service["spec"]>

/** A port that a Service requests at an address of its balancer. */
export type ListenerSpec = Omit<MappedPort, "bound">

/** Returns each port at the balancer's address; also at that of IPv6, where the Service requests both families. */
export function listenerSpecs(address: string, service: Service): readonly ListenerSpec[] {
  const both = serviceFamilies(service).includes("IPv6") && address !== ipv6Address
  const addresses = both ? [address, ipv6Address] : [address]
  const ports = service.spec?.ports ?? []
  return addresses.flatMap((one) => ports.map((port) => ({ address: one, protocol: protocolOf(port), port: port.port })))
}

/** "127.1.2.3 TCP 80" */
export function listenerName({ address, protocol, port }: ListenerSpec): string {
  return `${address} ${portName(protocol, port)}`
}

/** "TCP 80" */
export function portName(protocol: string, port: number): string {
  return `${protocol} ${port}`
}

function protocolOf({ protocol = "TCP" }: ServicePort): "TCP" | "UDP" {
  if (protocol === "TCP" || protocol === "UDP") return protocol
  throw new CloudError(`expected TCP or UDP, found ${protocol}: the loopback balancer forwards nothing else`, { retryable: false })
}

/** Returns, as text, every field of a Service that a loopback balancer depends on. */
export function specFingerprint(service: Service): string {
  const { ports, ipFamilies, sessionAffinity, sessionAffinityConfig } = service.spec ?? {}
  return JSON.stringify([ports, ipFamilies, rangeTexts(service), sessionAffinity, sessionAffinityConfig])
}

/** The annotation that preceded the field; it counts where the field is empty. */
const sourceRangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges"

function rangeTexts({ metadata, spec }: Service): readonly string[] {
  if (spec?.loadBalancerSourceRanges?.length) return spec.loadBalancerSourceRanges
  const text = metadata.annotations?.[sourceRangesAnnotation]?.trim() ?? ""
  return text === "" ? [] : text.split(",")
}

/** Returns the ranges of admitted clients; none admits every client. Throws where one cannot be parsed: to skip it would admit more clients than requested. */
export function parseSourceRanges(service: Service): readonly Cidr[] {
  return rangeTexts(service).map((text) => {
    const range = parseCidr(text.trim())
    if (range !== undefined) return range
    throw new CloudError(`expected source ranges such as 10.0.0.0/24, found "${text.trim()}"`, { retryable: false })
  })
}

/** Returns the client affinity of the Service; 3 h by default, as the API's own default. */
export function clientAffinity({
  sessionAffinity,
  sessionAffinityConfig,
}: Pick<Spec, "sessionAffinity" | "sessionAffinityConfig">): Affinity | undefined {
  if (sessionAffinity !== "ClientIP") return undefined
  return { timeout: (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) * 1000 }
}
