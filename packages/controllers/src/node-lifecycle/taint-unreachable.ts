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

/** One node of the zone after another begins to lose its pods: the one first that is down longest, and no faster than the zone's state allows. */
export function giveUpNodes({ zone, nodes, isCutOff, lastTry }: ObservedZone, now: number, options: NodeLifecycleOptions): Plan {
  const health = zoneHealth(nodes, options)
  const [next, ...others] = nodes.filter((node) => evictionTaint(node) !== undefined && !hasEvictionTaint(node)).sort(longestDown)
  const about = described(zone, health)
  if (next === undefined) return plan().nothing(`${about}; no node has to be given up`)
  if (isCutOff) return plan().nothing(`no node of the cluster is ready: it may be that only we do not hear them`)
  const rate = evictionRate(health, options)
  if (rate === 0) return plan().nothing(`${about}: too many to be chance in so small a zone, so no node is given up`)
  const delay = untilNextTry(lastTry, rate, now)
  if (delay > 0) return plan().requeueAfter(delay, `${about}: ${rate} nodes a second may be given up`)
  const built = plan()
  patchTaints(built, next, withEvictionTaint(next, now), `it is down, and the zone gives up ${rate} nodes a second`)
  return others.length === 0 ? built : built.requeueAfter(Math.ceil(1000 / rate), `${others.length} more nodes are down`)
}

function longestDown(a: Node, b: Node): number {
  return since(a) - since(b) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1)
}

function since(node: Node): number {
  const time = readyCondition(node)?.lastTransitionTime
  return time === undefined ? 0 : parseTime(time)
}

function described(zone: string, { state, ready, notReady }: ZoneHealth): string {
  return `${zone === "" ? "the zone without a name" : `zone ${zone}`} is in state ${state}, ${ready} of ${ready + notReady} nodes are ready`
}

/** Milliseconds until the zone may give up another node; Infinity with a rate of 0. */
function untilNextTry(last: number | undefined, rate: number, now: number): number {
  if (rate === 0) return Number.POSITIVE_INFINITY
  return last === undefined ? 0 : Math.max(0, Math.ceil(last + 1000 / rate - now))
}
