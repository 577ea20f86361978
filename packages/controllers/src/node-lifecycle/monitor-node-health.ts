import type { Node } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { isNew } from "./heartbeats.ts"
import { markNotReady, podsStillReady } from "./mark-pods-not-ready.ts"
import { isReady, readyCondition, unknownConditions } from "./node-conditions.ts"
import type { Observed } from "./observe.ts"
import type { NodeLifecycleOptions } from "./options.ts"
import { patchNode } from "./patch-node.ts"
import { conditionTaints, nodeTaints } from "./taints.ts"

type ObservedNode = Observed & { concern: "node" }

export interface NodeHealthDecision {
  readonly plan: Plan
  /** The next reconcile reads the node's Lease from the API server before the node is declared lost. */
  readonly confirmsLease: boolean
}

/** Decides whether a node is lost, and which taints and labels follow from its conditions. */
export function monitorNodeHealth(observed: ObservedNode, last: number, now: number, options: NodeLifecycleOptions): NodeHealthDecision {
  const { node, live } = observed
  const built = plan()
  if (isNew(observed)) nodeEvent(built, node, "RegisteredNode", `Registered Node ${node.metadata.name} in Controller`)
  const left = last + gracePeriodFor(node, options) - now
  const lost = left > 0 ? undefined : unknownConditions(node, now)
  if (lost !== undefined && live === undefined) {
    return { plan: built.requeueAfter(0, "its heartbeat is overdue: the API server is asked for its Lease"), confirmsLease: true }
  }
  if (lost !== undefined) return { plan: declareLost(built, node, lost, now - last), confirmsLease: false }
  followConditions(built, observed, now)
  if (left > 0) built.requeueAfter(left, "it counts as lost without a heartbeat until then")
  const ready = readyCondition(node)
  if (ready?.status === "Unknown") built.waitFor(`a status of its kubelet: its state is unknown since ${ready.lastTransitionTime}`)
  return { plan: built, confirmsLease: false }
}

function gracePeriodFor(node: Node, { gracePeriod, startupGracePeriod }: NodeLifecycleOptions): number {
  return readyCondition(node) === undefined ? startupGracePeriod : gracePeriod
}

function declareLost(built: PlanBuilder, node: Node, conditions: ReturnType<typeof unknownConditions>, silence: number): Plan {
  built.status(node, { ...node.status, conditions }, `it had no heartbeat for ${Math.round(silence / 1000)} s`)
  // Recorded once; the kubelet records events for conditions that it reports itself.
  if (isReady(node)) built.event(node, "Normal", "NodeNotReady", `Node ${node.metadata.name} status is now: NodeNotReady`)
  return built
}

/** Plans taints and labels in one write, and marks the pods of a lost node as not ready. */
function followConditions(built: PlanBuilder, { node, pods }: ObservedNode, now: number): void {
  const taints = conditionTaints(node, now)
  const labels = betaLabelChanges(node)
  const areNew = taints !== nodeTaints(node)
  if (areNew || labels !== undefined) {
    patchNode(
      built,
      node,
      { labels, ...(areNew && { taints }) },
      areNew ? "its taints follow its conditions" : "its beta labels follow the stable ones",
    )
  }
  // In the same step as the node: the writes do not depend on each other.
  const left = podsStillReady(node, pods)
  for (const pod of left) markNotReady(built, pod, `its node ${node.metadata.name} has no heartbeat any more`, now)
  if (!areNew && labels === undefined && left.length === 0) built.nothing(`${node.metadata.name} matches its conditions`)
}

export function nodeEvent(built: PlanBuilder, node: Pick<Node, "apiVersion" | "kind" | "metadata">, reason: string, text: string): void {
  built.event(node, "Normal", reason, `Node ${node.metadata.name} event: ${text}`)
}

/** The beta label of each stable label, which old workloads still select by. */
const betaLabels = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const

/** Returns the beta labels that are missing or differ; undefined when none does. */
function betaLabelChanges({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | undefined {
  const wrong = betaLabels.flatMap(([stable, older]) => {
    const value = labels[stable]
    return value === undefined || labels[older] === value ? [] : [[older, value] as const]
  })
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong)
}
