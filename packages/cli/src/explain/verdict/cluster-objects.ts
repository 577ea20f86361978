import { compareAmounts, findCondition, type KubeObject, parseQuantity } from "@pilothouse/api"
import { deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import type { HorizontalPodAutoscaler } from "@pilothouse/api/autoscaling/v2"
import type { Namespace, Node, ResourceQuota } from "@pilothouse/api/core/v1"
import type { ClusterView } from "./cluster-view.ts"
import { degraded, healthy, progressing, suspended, type Verdict } from "./verdict.ts"
import { deploymentVerdict, replicasVerdict } from "./workloads.ts"

/** Conditions of a node that are bad when they are true. */
const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"]

/** What the conditions of a node say; a cordoned one is suspended. */
export function nodeVerdict({ spec, status, metadata }: Node): Verdict {
  const ready = findCondition(status?.conditions, "Ready")
  if (ready?.status !== "True")
    return degraded(
      `not ready: ${ready?.message ?? "its kubelet has reported nothing yet"}`,
      "look after its kubelet; its pods are moved once they may be",
    )
  const pressure = pressures.map((type) => findCondition(status?.conditions, type)).find((one) => one?.status === "True")
  if (pressure !== undefined) return degraded(`${pressure.type}: ${pressure.message ?? pressure.reason}`)
  if (spec?.unschedulable) return suspended("ready and cordoned: it gets no new pods", `"kubectl uncordon ${metadata.name}" lets them come`)
  return healthy("ready")
}

/** Active, or what its deletion waits for. */
export function namespaceVerdict({ metadata, status }: Namespace): Verdict {
  if (!metadata.deletionTimestamp) return healthy("active")
  const blocking = (status?.conditions ?? []).filter((one) => one.status === "True")
  const failure = blocking.find(({ type }) => type.endsWith("Failure") || type.endsWith("Failed"))
  const held =
    blocking.find(({ type }) => type === "NamespaceFinalizersRemaining") ??
    blocking.find(({ type }) => type === "NamespaceContentRemaining")
  if (failure !== undefined) return degraded(`deleted, and not emptied: ${failure.message}`)
  if (held?.type === "NamespaceFinalizersRemaining")
    return degraded(`deleted, and held: ${held.message}`, "see to it that the controllers of these finalizers run")
  return progressing(`deleted, and being emptied${held === undefined ? "" : `: ${held.message}`}`)
}

/** A quota that is used up is no fault of its own; requests for more are refused. */
export function quotaVerdict({ status }: ResourceQuota): Verdict {
  const full = Object.entries(status?.hard ?? {}).filter(([name, hard]) => {
    const used = status?.used?.[name]
    return used !== undefined && compareAmounts(parseQuantity(used), parseQuantity(hard)) >= 0
  })
  if (full.length === 0) return healthy("something of every resource is left")
  const text = full.map(([name, hard]) => `${name} (${status?.used?.[name]} of ${hard})`).join(", ")
  return suspended(`used up: ${text}; requests for more are refused`, "delete what is not needed, or raise the limit")
}

/** Whether it can scale; where it cannot because its target is not well, the cause is the target's. */
export function autoscalerVerdict(autoscaler: HorizontalPodAutoscaler, view: ClusterView): Verdict {
  const { spec, status, metadata } = autoscaler
  const bad = ["AbleToScale", "ScalingActive"].map((type) => findCondition(status?.conditions, type)).find((one) => one?.status === "False")
  const { kind = "", name = "" } = spec?.scaleTargetRef ?? {}
  const target = targetVerdict(kind, name, metadata.namespace, view)
  if (bad !== undefined) {
    if (bad.reason === "ScalingDisabled") return suspended(`switched off: ${bad.message}`)
    if (target?.health === "degraded") return { ...target, summary: `cannot scale, as its target ${kind} ${name} is ${target.summary}` }
    return degraded(`cannot scale: ${bad.message}`)
  }
  if (status?.conditions === undefined) return progressing("its controller has not reported on it yet")
  return healthy(
    `${status.currentReplicas ?? 0} of ${spec?.minReplicas ?? 1} to ${spec?.maxReplicas} replicas, ${status.desiredReplicas} are wanted`,
  )
}

function targetVerdict(kind: string, name: string, namespace: string | undefined, view: ClusterView): Verdict | undefined {
  if (kind === deployments.kind) {
    const found = view.find(deployments, name, namespace)
    return found && deploymentVerdict(found, view)
  }
  const found = kind === statefulSets.kind ? view.find(statefulSets, name, namespace) : view.find(replicaSets, name, namespace)
  return found && replicasVerdict(found, view)
}

/** Conditions that are bad when they are false, of kinds that have no rule of their own; the first that is decides. */
const goodConditions = [
  "Ready",
  "Available",
  "Established",
  "NamesAccepted",
  "Synced",
  "Healthy",
  "Succeeded",
  "Accepted",
  "Programmed",
  "Reconciled",
]

/** Of any kind: what its deletion and its conditions say. Custom resources follow these conventions. */
export function anyVerdict({ metadata, status }: KubeObject & { readonly status?: unknown }): Verdict {
  if (metadata.deletionTimestamp) {
    const finalizers = (metadata.finalizers ?? []).join(", ")
    return finalizers === "" ? progressing("deleted") : progressing(`deleted, and held by ${finalizers}`)
  }
  const conditions = (status as { readonly conditions?: unknown } | null | undefined)?.conditions
  const all = Array.isArray(conditions) ? (conditions as Parameters<typeof findCondition>[0]) : []
  for (const type of goodConditions) {
    const found = findCondition(all, type)
    if (found?.status !== "False") continue
    const why = [found.reason, found.message].filter((text) => text !== undefined && text !== "").join(": ")
    return degraded(`${type} is False${why === "" ? "" : `: ${why}`}`)
  }
  const good = goodConditions.find((type) => findCondition(all, type)?.status === "True")
  return healthy(good === undefined ? "nothing is known to be wrong" : `${good} is True`)
}
