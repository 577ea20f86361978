import type { LoadBalancerIngress, Service } from "@pilothouse/api/core/v1"

export interface MappedPort {
  readonly address: string
  /** That of the Service. */
  readonly port: number
  readonly protocol: "TCP" | "UDP"
  /** The one that is listened on. */
  readonly bound: number
}

const mappedTo = "pilothouse.dev/PortMappedTo"

/** Ports are shown where one of them is not the one that was asked for; then all of them, as the API wants it. */
export function ingressOf(ip: string, ports: readonly MappedPort[]): LoadBalancerIngress {
  const ingress = { ip, ipMode: "VIP" }
  if (ports.every(({ port, bound }) => port === bound)) return ingress
  const shown = ports.map(({ port, protocol, bound }) => ({ port, protocol, ...(port === bound ? {} : { error: `${mappedTo}${bound}` }) }))
  return { ...ingress, ports: shown }
}

/** What the status of the Service says of an earlier balancer. */
export function mappedBefore({ status }: Service, { address, protocol, port }: Omit<MappedPort, "bound">): number | undefined {
  const ports = status?.loadBalancer?.ingress?.find(({ ip }) => ip === address)?.ports
  const shown = ports?.find((one) => one.port === port && one.protocol === protocol)?.error
  return shown?.startsWith(mappedTo) ? Number(shown.slice(mappedTo.length)) : undefined
}
