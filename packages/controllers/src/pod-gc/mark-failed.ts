import { findCondition, setCondition } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"

/** Nobody is left to say that the containers have stopped; Jobs and quotas wait for it. The uid: a new pod of the name is not meant. */
export function markFailed(built: PlanBuilder, pod: Pod, reason: string, now: number, disrupted?: string): void {
  const { uid, generation } = pod.metadata
  const seen = generation === undefined ? {} : { observedGeneration: generation }
  const status = { phase: "Failed", ...seen, ...(disrupted !== undefined && { conditions: [disruption(pod, disrupted, now)] }) }
  built.patch(pod, { metadata: { uid }, status }, reason, { type: "strategic", subresource: "status" })
}

function disruption({ metadata, status }: Pod, message: string, now: number): unknown {
  const wanted = { type: "DisruptionTarget", status: "True" as const, reason: "DeletionByPodGC", message }
  const observed = metadata.generation === undefined ? wanted : { ...wanted, observedGeneration: metadata.generation }
  return findCondition(setCondition(status?.conditions, observed, now), "DisruptionTarget")
}
