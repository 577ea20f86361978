import { findCondition } from "@pilothouse/api"
import { type Plan, plan } from "@pilothouse/runtime"
import { giveUpNodes, type Wait } from "./give-up-nodes.ts"
import type { Heartbeat } from "./heartbeats.ts"
import type { Observed } from "./observe.ts"
import type { NodeLifecycleOptions } from "./options.ts"
import { patchTaints } from "./patch-node.ts"
import { markNotReady } from "./pods-not-ready.ts"
import { readyCondition } from "./ready.ts"
import { withoutEvictionTaints } from "./taints.ts"
import { nodeEvent, watchOver } from "./watch-over.ts"

/** What the controller remembers, besides what it sees. */
export interface Remembered {
  readonly now: number
  heartbeat(observed: Observed & { concern: "node" }): Heartbeat
  wait(zone: string): Wait
}

export function decide(observed: Observed, { now, heartbeat, wait }: Remembered, options: NodeLifecycleOptions): Plan {
  switch (observed.concern) {
    case "node":
      return watchOver(observed, heartbeat(observed), now, options)
    case "gone":
      return removed(observed)
    case "pod":
      return newOn(observed, now)
    case "zone":
      return giveUpNodes(observed, now, wait(observed.zone), options)
    case "cluster":
      return keepPods(observed)
  }
}

function removed({ name, uid }: Observed & { concern: "gone" }): Plan {
  const built = plan().nothing("the node is gone")
  nodeEvent(built, { apiVersion: "v1", kind: "Node", metadata: { name, uid } }, "RemovingNode", `Removing Node ${name} from Controller`)
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
