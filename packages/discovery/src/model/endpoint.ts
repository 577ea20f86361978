/** "region/zone/subzone"; unknown parts are empty. */
export interface Locality {
  readonly region: string
  readonly zone: string
  readonly subzone: string
}

/** Where something runs. */
export interface Place {
  readonly locality: Locality
  /** The Kubernetes node. */
  readonly node: string
}

/** Reports whether two places are equal. */
export function samePlace(one: Place, other: Place): boolean {
  const [a, b] = [one.locality, other.locality]
  return one.node === other.node && a.region === b.region && a.zone === b.zone && a.subzone === b.subzone
}

/** "draining": takes no new clients, keeps those that are bound to it. Terminating endpoints are left out. */
export type EndpointHealth = "healthy" | "unhealthy" | "draining"

/**
 * One address and port behind one port of a service. Read-only; the same object as long as nothing about it changes, so that encoded bytes can be
 * kept by it.
 */
export interface Endpoint {
  /** The first is dialled; others are the same pod in another family. */
  readonly addresses: readonly string[]
  readonly port: number
  /** The name of the service port that it stands behind. */
  readonly portName: string
  readonly health: EndpointHealth
  readonly locality: Locality
  readonly network: string
  /** The cluster it was found in. */
  readonly cluster: string
  readonly weight: number
  readonly labels: Readonly<Record<string, string>>
  /** "spiffe://cluster.local/ns/shop/sa/web"; "" where there is no pod. */
  readonly identity: string
  readonly namespace: string
  /** The pod; undefined for addresses that were written by hand. */
  readonly pod?: string
  /** The workload that owns the pod, as metadata for telemetry. */
  readonly workload?: string
  readonly node?: string
}

/** Reports whether a healthy endpoint is gone now, or not healthy any more. */
export function hasLost(before: readonly Endpoint[], after: readonly Endpoint[]): boolean {
  const well = new Set(after.filter(isHealthy).map(whereabouts))
  return before.some((one) => isHealthy(one) && !well.has(whereabouts(one)))
}

function isHealthy({ health }: Endpoint): boolean {
  return health === "healthy"
}

function whereabouts({ cluster, addresses, port, portName }: Endpoint): string {
  return `${cluster} ${addresses[0]} ${port} ${portName}`
}
