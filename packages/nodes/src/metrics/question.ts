import type { Pod } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { queryValue, type TransportRequest } from "@pilothouse/seams"

/** A question to a metrics API, taken apart. */
export interface MetricsQuestion {
  readonly client: Client
  readonly now: number
  /** What follows the version in the path. */
  readonly parts: readonly string[]
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** What a container uses that is a process of this host. */
  readonly measured?: Measure
}

/** Cores and bytes; undefined where it is unknown. */
export type Measure = (pod: Pod, container: string) => { readonly cpu: number; readonly memory: number } | undefined

/** Parses a request for metrics. */
export function questionOf(request: TransportRequest, client: Client, now: number): MetricsQuestion {
  const parts = request.path.split("/").slice(4).map(decodeURIComponent)
  const query = (name: string) => queryValue(request.query, name) || undefined
  return { client, now, parts, labelSelector: query("labelSelector"), fieldSelector: query("fieldSelector") }
}
