import type { Node } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { isNew } from "./heartbeats.ts"
import { markNotReady, podsLeftReady } from "./mark-pods-not-ready.ts"
import { isReady, readyCondition, unknownConditions } from "./node-conditions.ts"
import type { Observed } from "./observe.ts"
import type { NodeLifecycleOptions } from "./options.ts"
import { patchNode } from "./patch-node.ts"
import { conditionTaints, taintsOf } from "./taints.ts"

type ObservedNode = Observed & { concern: "node" }

/** One node: whether it is still heard of, and what follows from its conditions. */
export function watchOver(observed: ObservedNode, last: number, now: number, options: NodeLifecycleOptions): Plan {
  const { node, live } = observed
  const built = plan()
  if (isNew(observed)) nodeEvent(built, node, "RegisteredNode", `Registered Node ${node.metadata.name} in Controller`)
  const left = last + graceOf(node, options) - now
  const lost = left > 0 ? undefined : unknownConditions(node, now)
  if (lost !== undefined) return live !== undefined ? declareLost(built, node, lost, now - last) : askServer(built)
  follow(built, observed, now)
  if (left > 0) built.requeueAfter(left, "it counts as lost unless it is heard of until then")
  const ready = readyCondition(node)
  if (ready?.status === "Unknown") built.waitFor(`its kubelet to tell how it is: nothing is known of it since ${ready.lastTransitionTime}`)
  return built
}

/** Whether the plan is to ask the server for the Lease before anything else. */
export function isAsking({ requeue }: Plan): boolean {
  return requeue?.reason === asking
}

const asking = "nothing was heard of it for too long: the server itself is asked for its Lease"

function askServer(built: PlanBuilder): Plan {
  return built.requeueAfter(0, asking)
}

function graceOf(node: Node, { gracePeriod, startupGracePeriod }: NodeLifecycleOptions): number {
  return readyCondition(node) === undefined ? startupGracePeriod : gracePeriod
}

function declareLost(built: PlanBuilder, node: Node, conditions: ReturnType<typeof unknownConditions>, silence: number): Plan {
  built.status(node, { ...node.status, conditions }, `nothing was heard of it for ${Math.round(silence / 1000)} s`)
  // Once, when it happens; what its kubelet itself says of it is its kubelet's to tell.
  if (isReady(node)) built.event(node, "Normal", "NodeNotReady", `Node ${node.metadata.name} status is now: NodeNotReady`)
  return built
}

/** Taints and labels in one write, and beside it the pods of a node that is lost. */
function follow(built: PlanBuilder, { node, pods }: ObservedNode, now: number): void {
  const taints = conditionTaints(node, now)
  const labels = labelChanges(node)
  const areNew = taints !== taintsOf(node)
  if (areNew || labels !== undefined) {
    patchNode(
      built,
      node,
      { labels, ...(areNew && { taints }) },
      areNew ? "its taints follow its conditions" : "its older labels follow the stable ones",
    )
  }
  // At once with the node: neither write depends on what becomes of the others.
  const left = podsLeftReady(node, pods)
  for (const pod of left) markNotReady(built, pod, `its node ${node.metadata.name} is not heard of any more`, now)
  if (!areNew && labels === undefined && left.length === 0) built.nothing(`${node.metadata.name} is as its conditions want it`)
}

export function nodeEvent(built: PlanBuilder, node: Pick<Node, "apiVersion" | "kind" | "metadata">, reason: string, text: string): void {
  built.event(node, "Normal", reason, `Node ${node.metadata.name} event: ${text}`)
}

/** The older label of each, which old workloads still select by. */
const olderLabels = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const

/** The older labels that are missing or say something else; undefined when all is well. */
function labelChanges({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | undefined {
  const wrong = olderLabels.flatMap(([stable, older]) => {
    const value = labels[stable]
    return value === undefined || labels[older] === value ? [] : [[older, value] as const]
  })
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong)
}
