import type { Protocol } from "./protocol.ts"

/** A port of a service. */
export interface ServicePort {
  /** Unique in its service; "" where there is only one port and it has no name. */
  readonly name: string
  readonly port: number
  readonly protocol: Protocol
}

/** How the addresses of a service are found. */
export type Resolution =
  /** Clients receive its endpoints and choose one. */
  | "client-side"
  /** Headless: the client goes to the address that it asked for. */
  | "passthrough"
  /** ExternalName: by a name of the DNS. */
  | "dns"

/** Which endpoints are preferred, nearest first. */
export type TrafficDistribution = "any" | "same-zone" | "same-node"

/** A service as clients see it: of one cluster, or of several that have the same hostname. Read-only, and compared by value. */
export interface Service {
  /** "web.shop.svc.cluster.local" */
  readonly hostname: string
  readonly name: string
  readonly namespace: string
  /** Virtual addresses, by cluster; none where it is headless or external. */
  readonly addresses: Readonly<Record<string, readonly string[]>>
  /** In the order of the Service. */
  readonly ports: readonly ServicePort[]
  readonly resolution: Resolution
  readonly externalName?: string
  /** The hostname that this name stands for, where ExternalNames are aliases: it has no endpoints of its own then. */
  readonly aliasOf?: string
  /** Where it is reached from outside: external addresses and those of its load balancer. */
  readonly externalAddresses?: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** Labels of the pods behind it; undefined where its endpoints are managed elsewhere. */
  readonly selector?: Readonly<Record<string, string>>
  /** Namespaces that may see it; ["*"] is all, ["~"] none, ["."] its own. */
  readonly exportTo: readonly string[]
  /** SPIFFE identities that its annotations name; those of its pods stand with the endpoints. Sorted. */
  readonly accounts: readonly string[]
  readonly publishNotReady: boolean
  readonly nodeLocal: boolean
  readonly distribution: TrafficDistribution
  /** Milliseconds since 1970. */
  readonly created: number
}

/** No namespace may see it. */
export function isHidden({ exportTo }: Pick<Service, "exportTo">): boolean {
  return exportTo.includes("~")
}
