import type { EndpointHealth, Locality } from "./endpoint.ts"

/**
 * A workload that is no pod of the cluster: a machine of its own, or one that another registry knows. What Istio's WorkloadEntry says of one. Services that
 * select its labels, in its namespace, have it among their endpoints.
 */
export interface WorkloadInstance {
  readonly namespace: string
  readonly name: string
  /** Of IP, the first is dialled; a name is no address here, since clients refuse one among endpoints. */
  readonly addresses: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** Its ports by name: beats the number that a Service says for a port of that name, and is needed where the Service says a name. */
  readonly ports?: Readonly<Record<string, number>>
  /** The service account that it runs as; without one it has no identity. */
  readonly account?: string
  readonly locality?: Locality
  /** Where it is not said, that of its address. */
  readonly network?: string
  /** By default 1. */
  readonly weight?: number
  /** By default "healthy". */
  readonly health?: EndpointHealth
}
