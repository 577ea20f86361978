import type { Node } from "@pilothouse/api/core/v1"
import { isReady } from "./node-conditions.ts"
import type { NodeLifecycleOptions } from "./options.ts"

export type ZoneState = "Normal" | "PartialDisruption" | "FullDisruption"

/** Returns region and zone of the node (upstream's GetZoneKey); nodes without either are one zone. */
export function zoneName({ metadata: { labels = {} } }: Node): string {
  const zone = labels["failure-domain.beta.kubernetes.io/zone"] ?? labels["topology.kubernetes.io/zone"] ?? ""
  const region = labels["failure-domain.beta.kubernetes.io/region"] ?? labels["topology.kubernetes.io/region"] ?? ""
  return region === "" && zone === "" ? "" : `${region}/${zone}`
}

/** Reports whether the node counts for the health of its zone; nodes that come and go by design, such as spot machines, do not. */
export function isCounted({ metadata: { labels = {} } }: Node): boolean {
  return !("node.kubernetes.io/exclude-disruption" in labels)
}

export interface ZoneHealth {
  readonly state: ZoneState
  readonly ready: number
  readonly notReady: number
}

/** Returns the state of a zone (upstream's ComputeZoneState). Two nodes may always be down, whatever their share: in a small zone that is normal. */
export function zoneHealth(nodes: readonly Node[], { unhealthyZoneThreshold }: NodeLifecycleOptions): ZoneHealth {
  const counted = nodes.filter(isCounted)
  const ready = counted.filter(isReady).length
  const notReady = counted.length - ready
  if (ready === 0 && notReady > 0) return { state: "FullDisruption", ready, notReady }
  const isPartial = notReady > 2 && notReady / counted.length >= unhealthyZoneThreshold
  return { state: isPartial ? "PartialDisruption" : "Normal", ready, notReady }
}

/** Returns the nodes per second that get an eviction taint. */
export function evictionRate({ state, ready, notReady }: ZoneHealth, options: NodeLifecycleOptions): number {
  if (state !== "PartialDisruption") return options.evictionRate
  return ready + notReady > options.largeClusterSize ? options.secondaryEvictionRate : 0
}
