import type { Node } from "@pilothouse/api/core/v1"
import { isReady } from "./node-conditions.ts"
import type { NodeLifecycleOptions } from "./options.ts"

export type ZoneState = "Normal" | "PartialDisruption" | "FullDisruption"

/** Region and zone of the node; nodes without either are one zone. */
export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const zone = labels["failure-domain.beta.kubernetes.io/zone"] ?? labels["topology.kubernetes.io/zone"] ?? ""
  const region = labels["failure-domain.beta.kubernetes.io/region"] ?? labels["topology.kubernetes.io/region"] ?? ""
  return region === "" && zone === "" ? "" : `${region}/${zone}`
}

/** Nodes that come and go by design (spot machines, say) say nothing about the health of their zone. */
export function isCounted({ metadata: { labels = {} } }: Node): boolean {
  return !("node.kubernetes.io/exclude-disruption" in labels)
}

export interface ZoneHealth {
  readonly state: ZoneState
  readonly ready: number
  readonly notReady: number
}

/** Two nodes may always be down, whatever their share is: in a small zone that is an ordinary day. */
export function zoneHealth(nodes: readonly Node[], { unhealthyZoneThreshold }: NodeLifecycleOptions): ZoneHealth {
  const counted = nodes.filter(isCounted)
  const ready = counted.filter(isReady).length
  const notReady = counted.length - ready
  if (ready === 0 && notReady > 0) return { state: "FullDisruption", ready, notReady }
  const isPartial = notReady > 2 && notReady / counted.length >= unhealthyZoneThreshold
  return { state: isPartial ? "PartialDisruption" : "Normal", ready, notReady }
}

/** Nodes a second that begin to lose their pods. */
export function evictionRate({ state, ready, notReady }: ZoneHealth, options: NodeLifecycleOptions): number {
  if (state !== "PartialDisruption") return options.evictionRate
  return ready + notReady > options.largeClusterSize ? options.secondaryEvictionRate : 0
}
