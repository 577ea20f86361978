import { findCondition, parseTime } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import { type Plan, plan, type Result, rememberFirst } from "@pilothouse/runtime"
import { updatedHeartbeat } from "./heartbeats.ts"
import { markNotReady } from "./mark-pods-not-ready.ts"
import { rememberCutOff, rememberHeartbeat, rememberTry } from "./memory.ts"
import { monitorNodeHealth, nodeEvent } from "./monitor-node-health.ts"
import { readyCondition } from "./node-conditions.ts"
import type { Observed } from "./observe.ts"
import type { NodeLifecycleOptions } from "./options.ts"
import { patchTaints } from "./patch-node.ts"
import { evictionTaint, hasEvictionTaint, withEvictionTaint, withoutEvictionTaints } from "./taints.ts"
import { evictionRate, type ZoneHealth, zoneHealth } from "./zones.ts"

/** Returns a plan that begins with what the controller remembers. */
export function decide(observed: Observed, now: number, options: NodeLifecycleOptions): Plan {
  switch (observed.concern) {
    case "node": {
      const known = updatedHeartbeat(observed, now)
      const decided = monitorNodeHealth(observed, known.last, now, options)
      return rememberFirst(
        rememberHeartbeat(nodeName(observed), observed.known, { ...known, confirmsLease: decided.confirmsLease }),
        decided.plan,
      )
    }
    case "gone":
      return rememberFirst(rememberHeartbeat(observed.name, observed.known, undefined), decideRemovedNode(observed))
    case "pod":
      return decideNewPod(observed, now)
    case "zone": {
      const decided = taintUnreachableNodes(observed, now, options)
      return rememberFirst(decided.steps.length > 0 ? rememberTry(observed.zone, now) : [], decided)
    }
    case "cluster":
      return rememberFirst(rememberCutOff(observed.wasCutOff ?? false, observed.isCutOff, now), decideCluster(observed))
  }
}

/** After a failed status write the retry reads the Lease again; a requeue in between would count as success and reset the backoff. */
export function settle(observed: Observed, results: readonly Result[], now: number): Plan {
  const hasFailed = results.some(({ operation, ok }) => operation.do === "status" && ok !== true)
  if (observed.concern !== "node" || !hasFailed) return plan()
  const known = updatedHeartbeat(observed, now)
  return rememberFirst(rememberHeartbeat(nodeName(observed), known, { ...known, confirmsLease: true }), plan())
}

function nodeName({ node }: Observed & { concern: "node" }): string {
  return node.metadata.name ?? ""
}

function decideRemovedNode({ name, known }: Observed & { concern: "gone" }): Plan {
  const built = plan().nothing("the node is gone")
  nodeEvent(
    built,
    { apiVersion: "v1", kind: "Node", metadata: { name, uid: known.uid } },
    "RemovingNode",
    `Removing Node ${name} from Controller`,
  )
  return built
}

/** Handles a pod that was assigned to a node that is not ready; the node may have been reconciled before. */
function decideNewPod({ pod, node }: Observed & { concern: "pod" }, now: number): Plan {
  const state = readyCondition(node)?.status
  if (state === undefined || state === "True") return plan().nothing("its node is ready")
  if (findCondition(pod.status?.conditions, "Ready")?.status !== "True") return plan().nothing("it is not ready")
  const built = plan()
  markNotReady(built, pod, `its node ${node.metadata.name} is not ready`, now)
  return built
}

/** While no node is ready no node is tainted, and existing eviction taints are removed. */
function decideCluster({ isCutOff, tainted }: Observed & { concern: "cluster" }): Plan {
  if (!isCutOff || tainted.length === 0) return plan().nothing(isCutOff ? "no node is ready, and none is tainted" : "some nodes are ready")
  const built = plan()
  for (const node of tainted) {
    patchTaints(built, node, withoutEvictionTaints(node), "no node of the cluster is ready: this process may be cut off from them")
  }
  return built
}

type ObservedZone = Observed & { concern: "zone" }

/** Upstream's doNoExecuteTaintingPass: adds the eviction taint to one node of the zone after another, the longest not ready first, at the rate that the zone's state allows. */
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
