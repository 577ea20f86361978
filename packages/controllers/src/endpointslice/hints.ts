import type { Family } from "../service-endpoints/addresses.ts"
import type { SliceChanges } from "./changes.ts"
import type { Observed } from "./observe.ts"
import { wantsTopologyHints } from "./topology-annotation.ts"
import { hasHints, hintByZoneShares } from "./topology-hints.ts"
import { distributesTraffic, hintNearby, withoutHints } from "./traffic-distribution.ts"
import { zoneShares } from "./zone-shares.ts"

export interface HintedChanges extends SliceChanges {
  /** What to tell people about hints, once the slices are written. */
  readonly said?: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string }
}

/** Where proxies should send traffic from: the annotation wins over spec.trafficDistribution, and without either there are no hints. */
export function withHintsFor({ service, slices, everyNode }: Observed, family: Family, changes: SliceChanges): HintedChanges {
  const had = hasHints(slices.filter((slice) => slice.addressType === family))
  if (!wantsTopologyHints(service)) {
    if (distributesTraffic(service)) return hintNearby(changes, service)
    return { ...withoutHints(changes), ...(had && { said: disabled("Topology Aware Hints has been disabled", family) }) }
  }
  const hinted = hintByZoneShares(changes, zoneShares(everyNode))
  if (typeof hinted === "string") return { ...withoutHints(changes), said: disabled(hinted, family) }
  const message = `Topology Aware Hints has been enabled, addressType: ${family}`
  return had ? hinted : { ...hinted, said: { type: "Normal", reason: "TopologyAwareHintsEnabled", message } }
}

function disabled(why: string, family: Family): HintedChanges["said"] {
  return { type: "Warning", reason: "TopologyAwareHintsDisabled", message: `${why}, addressType: ${family}` }
}
