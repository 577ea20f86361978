import type { LoadBalancerIngress, Service } from "@pilothouse/api/core/v1"

/** A port of a Service, and the port that is bound for it. */
export interface MappedPort {
  readonly address: string
  /** That of the Service. */
  readonly port: number
  readonly protocol: "TCP" | "UDP"
  /** The port that the listener is bound to. */
  readonly bound: number
}

const mappedTo = "pilothouse.dev/PortMappedTo"

/** Returns the ingress of an address. Ports are listed where one of them is mapped to another; then all of them, as the API requires. */
export function ingressOf(ip: string, ports: readonly MappedPort[]): LoadBalancerIngress {
  const ingress = { ip, ipMode: "VIP" }
  if (ports.every(({ port, bound }) => port === bound)) return ingress
  const shown = ports.map(({ port, protocol, bound }) => ({ port, protocol, ...(port === bound ? {} : { error: `${mappedTo}${bound}` }) }))
  return { ...ingress, ports: shown }
}

/** Returns the port that an earlier balancer had bound, from the status of the Service. */
export function mappedBefore({ status }: Service, { address, protocol, port }: Omit<MappedPort, "bound">): number | undefined {
  const ports = status?.loadBalancer?.ingress?.find(({ ip }) => ip === address)?.ports
  const shown = ports?.find((one) => one.port === port && one.protocol === protocol)?.error
  return shown?.startsWith(mappedTo) ? Number(shown.slice(mappedTo.length)) : undefined
}
