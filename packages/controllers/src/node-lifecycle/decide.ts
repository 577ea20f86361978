import { findCondition } from "@pilothouse/api"
import { type Plan, plan, type Result, rememberFirst } from "@pilothouse/runtime"
import { updatedHeartbeat } from "./heartbeats.ts"
import { markNotReady } from "./mark-pods-not-ready.ts"
import { rememberCutOff, rememberHeartbeat, rememberTry } from "./memory.ts"
import { monitorNodeHealth, nodeEvent } from "./monitor-node-health.ts"
import { readyCondition } from "./node-conditions.ts"
import type { Observed } from "./observe.ts"
import type { NodeLifecycleOptions } from "./options.ts"
import { patchTaints } from "./patch-node.ts"
import { taintUnreachableNodes } from "./taint-unreachable.ts"
import { withoutEvictionTaints } from "./taints.ts"

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
