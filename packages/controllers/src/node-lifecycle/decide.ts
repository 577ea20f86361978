import { findCondition } from "@pilothouse/api"
import { type Plan, plan, type Result, rememberFirst } from "@pilothouse/runtime"
import { noted } from "./heartbeats.ts"
import { markNotReady } from "./mark-pods-not-ready.ts"
import { rememberCutOff, rememberHeartbeat, rememberTry } from "./memory.ts"
import { isAsking, nodeEvent, watchOver } from "./monitor-node-health.ts"
import { readyCondition } from "./node-conditions.ts"
import type { Observed } from "./observe.ts"
import type { NodeLifecycleOptions } from "./options.ts"
import { patchTaints } from "./patch-node.ts"
import { giveUpNodes } from "./taint-unreachable.ts"
import { withoutEvictionTaints } from "./taints.ts"

/** What the controller remembers of it comes first in the plan. */
export function decide(observed: Observed, now: number, options: NodeLifecycleOptions): Plan {
  switch (observed.concern) {
    case "node": {
      const known = noted(observed, now)
      const decided = watchOver(observed, known.last, now, options)
      return rememberFirst(rememberHeartbeat(nameOf(observed), observed.known, { ...known, asking: isAsking(decided) }), decided)
    }
    case "gone":
      return rememberFirst(rememberHeartbeat(observed.name, observed.known, undefined), removed(observed))
    case "pod":
      return newOn(observed, now)
    case "zone": {
      const decided = giveUpNodes(observed, now, options)
      return rememberFirst(decided.steps.length > 0 ? rememberTry(observed.zone, now) : [], decided)
    }
    case "cluster":
      return rememberFirst(rememberCutOff(observed.wasCutOff ?? false, observed.isCutOff, now), keepPods(observed))
  }
}

/** A node that could not be called lost is asked for again with the next try; a question of its own in between would look like success. */
export function settle(observed: Observed, results: readonly Result[], now: number): Plan {
  const hasFailed = results.some(({ operation, ok }) => operation.do === "status" && ok !== true)
  if (observed.concern !== "node" || !hasFailed) return plan()
  const known = noted(observed, now)
  return rememberFirst(rememberHeartbeat(nameOf(observed), known, { ...known, asking: true }), plan())
}

function nameOf({ node }: Observed & { concern: "node" }): string {
  return node.metadata.name ?? ""
}

function removed({ name, known }: Observed & { concern: "gone" }): Plan {
  const built = plan().nothing("the node is gone")
  nodeEvent(
    built,
    { apiVersion: "v1", kind: "Node", metadata: { name, uid: known.uid } },
    "RemovingNode",
    `Removing Node ${name} from Controller`,
  )
  return built
}

/** A pod that was given to a node which is not ready; the node's own look may have come before it. */
function newOn({ pod, node }: Observed & { concern: "pod" }, now: number): Plan {
  const state = readyCondition(node)?.status
  if (state === undefined || state === "True") return plan().nothing("its node is ready")
  if (findCondition(pod.status?.conditions, "Ready")?.status !== "True") return plan().nothing("it does not say that it is ready")
  const built = plan()
  markNotReady(built, pod, `its node ${node.metadata.name} is not ready`, now)
  return built
}

/** While not one node is ready none is given up, and those that were are given another chance. */
function keepPods({ isCutOff, tainted }: Observed & { concern: "cluster" }): Plan {
  if (!isCutOff || tainted.length === 0) return plan().nothing(isCutOff ? "no node is ready, and none is given up" : "some nodes are ready")
  const built = plan()
  for (const node of tainted) {
    patchTaints(built, node, withoutEvictionTaints(node), "no node of the cluster is ready: it may be that only we do not hear them")
  }
  return built
}
