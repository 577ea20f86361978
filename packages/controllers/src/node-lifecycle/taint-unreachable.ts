import { parseTime } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import { type Plan, plan } from "@pilothouse/runtime"
import { readyCondition } from "./node-conditions.ts"
import type { Observed } from "./observe.ts"
import type { NodeLifecycleOptions } from "./options.ts"
import { patchTaints } from "./patch-node.ts"
import { evictionTaint, hasEvictionTaint, withEvictionTaint } from "./taints.ts"
import { evictionRate, type ZoneHealth, zoneHealth } from "./zones.ts"

type ObservedZone = Observed & { concern: "zone" }

/** Adds the eviction taint to one node of the zone after another, the longest not ready first, at the rate that the zone's state allows. */
export function taintUnreachableNodes({ zone, nodes, isCutOff, lastTry }: ObservedZone, now: number, options: NodeLifecycleOptions): Plan {
  const health = zoneHealth(nodes, options)
  const [next, ...others] = nodes.filter((node) => evictionTaint(node) !== undefined && !hasEvictionTaint(node)).sort(longestNotReadyFirst)
  const about = describeZone(zone, health)
  if (next === undefined) return plan().nothing(`${about}; no node has to be tainted`)
  if (isCutOff) return plan().nothing(`no node of the cluster is ready: this process may be cut off from them`)
  const rate = evictionRate(health, options)
  if (rate === 0) return plan().nothing(`${about}: too many for so small a zone, so no node is tainted`)
  const delay = timeUntilNextTaint(lastTry, rate, now)
  if (delay > 0) return plan().requeueAfter(delay, `${about}: ${rate} nodes a second may be tainted`)
  const built = plan()
  patchTaints(built, next, withEvictionTaint(next, now), `it is down, and the zone may taint ${rate} nodes a second`)
  return others.length === 0 ? built : built.requeueAfter(Math.ceil(1000 / rate), `${others.length} more nodes are down`)
}

function longestNotReadyFirst(a: Node, b: Node): number {
  return notReadySince(a) - notReadySince(b) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1)
}

function notReadySince(node: Node): number {
  const time = readyCondition(node)?.lastTransitionTime
  return time === undefined ? 0 : parseTime(time)
}

function describeZone(zone: string, { state, ready, notReady }: ZoneHealth): string {
  return `${zone === "" ? "the zone without a name" : `zone ${zone}`} is in state ${state}, ${ready} of ${ready + notReady} nodes are ready`
}

/** Returns the milliseconds until the zone may taint another node; Infinity with a rate of 0. */
function timeUntilNextTaint(last: number | undefined, rate: number, now: number): number {
  if (rate === 0) return Number.POSITIVE_INFINITY
  return last === undefined ? 0 : Math.max(0, Math.ceil(last + 1000 / rate - now))
}
