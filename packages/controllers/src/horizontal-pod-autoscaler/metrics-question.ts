import type { Descriptor, Selector } from "@pilothouse/api"
import { podMetrics } from "@pilothouse/api/metrics/v1beta1"
import type { Reader } from "@pilothouse/runtime"

/** In the order they are tried. */
export const customMetricsVersions = ["v1beta2", "v1beta1"] as const

/** The version of the custom metrics API that answered last: nobody is asked twice for long. */
export interface CustomMetricsVersion {
  works: (typeof customMetricsVersions)[number]
}

export interface MetricsQuestion {
  readonly read: Reader
  readonly namespace: string
  /** Of the target's pods. */
  readonly selector: Selector
  readonly version: CustomMetricsVersion
}

/** What failures name: "queue.external.metrics.k8s.io". A metric stands where other groups have resources. */
export function metricResource(group: string, plural: string): Descriptor {
  return { ...podMetrics, group, plural } as Descriptor
}

/** The items of a list of metrics, of which there has to be one at least. */
export async function itemsOf<T>(answer: Promise<unknown>, api: "resource" | "custom" | "external"): Promise<readonly T[]> {
  const list = await answer.catch((cause: unknown) => {
    throw new Error(`unable to fetch metrics from ${api} metrics API`, { cause })
  })
  const { items } = (list ?? {}) as { readonly items?: readonly T[] }
  if (!Array.isArray(items) || items.length === 0) throw new Error(`no metrics returned from ${api} metrics API`)
  return items
}
