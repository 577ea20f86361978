import { findCondition, keyOf, setCondition } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"

/** First the condition that tells Jobs and people why, then the delete with the pod's own grace. */
export function evict(built: PlanBuilder, pod: Pod, reason: string, now: number): void {
  const { status, metadata } = pod
  const wanted = {
    type: "DisruptionTarget",
    status: "True" as const,
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  }
  const conditions = setCondition(status?.conditions, wanted, now)
  if (conditions !== status?.conditions) {
    const patch = { metadata: { uid: metadata.uid }, status: { conditions: [findCondition(conditions, "DisruptionTarget")] } }
    built.operation({ do: "patch", object: pod, patch, type: "strategic", subresource: "status", tolerate: ["NotFound"], reason })
    built.nextStep()
  }
  built.delete(pod, reason)
  say(built, pod, "Marking for deletion Pod", keyOf(pod))
}

export function say(built: PlanBuilder, pod: Pick<Pod, "apiVersion" | "kind" | "metadata">, what: string, key: string): void {
  built.event(pod, "Normal", "TaintManagerEviction", `${what} ${key}`)
}
