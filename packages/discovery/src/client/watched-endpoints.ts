import { messages } from "../wire/messages.ts"

/** One endpoint as a client received it. */
export interface WatchedEndpoint {
  /** "10.244.1.3:8080" */
  readonly address: string
  /** "HEALTHY", "DRAINING" … as xDS writes it. */
  readonly health: string
  /** "region/zone", empty where the server knows none. */
  readonly locality: string
}

/** A difference between two responses. */
export interface EndpointChange {
  readonly cluster: string
  readonly what: "came" | "went" | "changed"
  readonly endpoint: WatchedEndpoint
}

interface Assignment {
  readonly clusterName: string
  readonly endpoints: readonly {
    readonly locality?: { readonly region?: string; readonly zone?: string }
    readonly lbEndpoints: readonly {
      readonly healthStatus?: string
      readonly endpoint?: { readonly address?: { readonly socketAddress?: { readonly address?: string; readonly portValue?: number } } }
    }[]
  }[]
}

/** The endpoints of one ClusterLoadAssignment, in order of their addresses. */
export function readAssignment(bytes: Uint8Array): { readonly cluster: string; readonly endpoints: readonly WatchedEndpoint[] } {
  const { clusterName, endpoints } = messages.clusterLoadAssignment.decode(bytes) as unknown as Assignment
  const read = endpoints.flatMap(({ locality, lbEndpoints }) =>
    lbEndpoints.map(({ endpoint, healthStatus = "UNKNOWN" }) => {
      const { address = "", portValue = 0 } = endpoint?.address?.socketAddress ?? {}
      const place = [locality?.region, locality?.zone].filter((part) => part !== undefined && part !== "").join("/")
      return { address: `${address.includes(":") ? `[${address}]` : address}:${portValue}`, health: healthStatus, locality: place }
    }),
  )
  return { cluster: clusterName, endpoints: read.toSorted((a, b) => (a.address < b.address ? -1 : 1)) }
}

/** Returns the endpoints that were added, then those that changed, then those that were removed. */
export function endpointChanges(
  cluster: string,
  before: readonly WatchedEndpoint[],
  now: readonly WatchedEndpoint[],
): readonly EndpointChange[] {
  const old = new Map(before.map((one) => [one.address, one]))
  const left = new Set(now.map(({ address }) => address))
  const isOther = (a: WatchedEndpoint, b: WatchedEndpoint) => a.health !== b.health || a.locality !== b.locality
  return [
    ...now.filter(({ address }) => !old.has(address)).map((endpoint) => ({ cluster, what: "came" as const, endpoint })),
    ...now
      .filter((one) => old.has(one.address) && isOther(one, old.get(one.address)!))
      .map((endpoint) => ({ cluster, what: "changed" as const, endpoint })),
    ...before.filter(({ address }) => !left.has(address)).map((endpoint) => ({ cluster, what: "went" as const, endpoint })),
  ]
}
