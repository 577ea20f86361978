import { findCondition, parseTime, setCondition } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { DeviceToleration } from "@pilothouse/api/resource/v1"
import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Observed, TaintedDevice } from "./observe.ts"

/** Evicts the pod at the earliest time at which one of its devices' taints is not tolerated any more. */
export function decide({ pod, tainted }: Observed, now: number): Plan {
  if (pod.metadata.deletionTimestamp !== undefined) return plan().nothing("it is being deleted already")
  const times = tainted.map((one) => evictionTime(one, now)).filter((at) => at !== undefined)
  const at = times.length === 0 ? undefined : Math.min(...times)
  if (at === undefined)
    return plan().nothing(tainted.length === 0 ? "no device of it has a NoExecute taint" : "it tolerates the taints of its devices")
  if (at > now) return plan().requeueAfter(at - now, "it tolerates a taint of its devices for a while")
  return evict(plan(), pod, now)
}

/** Undefined: the taint is tolerated for ever. */
export function evictionTime({ taint, result }: TaintedDevice, now: number): number | undefined {
  const tolerating = (result.tolerations ?? []).filter((toleration) => tolerates(toleration, taint))
  const since = taint.timeAdded === undefined ? now : parseTime(taint.timeAdded)
  if (tolerating.length === 0) return since
  const limits = tolerating.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [Math.max(0, Number(tolerationSeconds))],
  )
  return limits.length < tolerating.length ? undefined : since + Math.min(...limits) * 1000
}

/** An empty key stands for all, and so does no effect. */
function tolerates({ effect, key, operator = "Equal", value = "" }: DeviceToleration, taint: TaintedDevice["taint"]): boolean {
  if ((effect && effect !== taint.effect) || (key && key !== taint.key)) return false
  return operator === "Exists" || value === (taint.value ?? "")
}

function evict(built: PlanBuilder, pod: Pod, now: number): Plan {
  const { status, metadata } = pod
  const wanted = {
    type: "DisruptionTarget",
    status: "True" as const,
    reason: "DeletionByDeviceTaintManager",
    message: "Device Taint manager: deleting due to NoExecute taint",
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  }
  const reason = "a device of it has a taint that it does not tolerate"
  const conditions = setCondition(status?.conditions, wanted, now)
  if (conditions !== status?.conditions) {
    const patch = { metadata: { uid: metadata.uid }, status: { conditions: [findCondition(conditions, "DisruptionTarget")] } }
    built.operation({ do: "patch", object: pod, patch, type: "strategic", subresource: "status", tolerate: ["NotFound"], reason })
    built.nextStep()
  }
  return built
    .delete(pod, reason, { preconditions: { uid: metadata.uid } })
    .event(pod, "Normal", "DeviceTaintManagerEviction", "Marking for deletion")
}
