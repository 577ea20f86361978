import {
  compareAmounts,
  findCondition,
  formatLabelSelector,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  type KubeObject,
  matchesLabels,
  parseQuantity,
  selectorFromLabels,
} from "@pilothouse/api"
import { deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import type { HorizontalPodAutoscaler } from "@pilothouse/api/autoscaling/v2"
import { type Namespace, type Node, pods, type ResourceQuota, type Service } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import type { ClusterView } from "./cluster-view.ts"
import { commonTrouble } from "./pod-trouble.ts"
import { degraded, healthy, progressing, suspended, type Verdict } from "./verdict.ts"
import { deploymentVerdict, replicasVerdict } from "./workloads.ts"

/** Conditions of a node that are bad when they are true. */
const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"]

/** Returns the verdict of a node's conditions; a cordoned one is suspended. */
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

/** Reports whether it can scale; where it cannot because its target is not well, the cause is the target's. */
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

/** Returns the verdict of an object of any kind by its deletion and its conditions. Custom resources follow these conventions. */
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

/** Reports whether connections to a Service are answered, and whether its load balancer has an address. */
export function serviceVerdict(service: Service, view: ClusterView): Verdict {
  const { spec } = service
  if (spec?.type === "ExternalName") return healthy(`a name for ${spec.externalName}`)
  const answers = Object.keys(spec?.selector ?? {}).length > 0 ? selectedPods(service, view) : writtenEndpoints(service, view)
  const hasAddress = (service.status?.loadBalancer?.ingress ?? []).length > 0
  return answers.health !== "healthy" || spec?.type !== "LoadBalancer" || hasAddress ? answers : withoutAddress(service, view)
}

function withoutAddress(service: Service, view: ClusterView): Verdict {
  const { spec, metadata } = service
  const refused = view.warning(service, "SyncLoadBalancerFailed", "UpdateLoadBalancerFailed")?.message
  if (refused !== undefined) return degraded(`its load balancer has no address: ${refused}`)
  if (!spec?.loadBalancerClass) return progressing("its load balancer has no address yet")
  return degraded(
    `its load balancer has no address: its class ${spec.loadBalancerClass} asks for a controller of its own`,
    `create ${metadata.name} again without loadBalancerClass, or run the controller of that class`,
  )
}

function selectedPods({ spec, metadata }: Service, view: ClusterView): Verdict {
  const selector = selectorFromLabels(spec?.selector)
  const labels = formatLabelSelector(selector)
  const inNamespace = view.list(pods).filter((pod) => pod.metadata.namespace === metadata.namespace)
  const found = inNamespace.filter((pod) => matchesLabels(selector, pod.metadata.labels) && !isPodTerminal(pod) && !isPodTerminating(pod))
  if (found.length === 0)
    return degraded(
      `nothing answers: its selector ${labels} matches no pod in ${metadata.namespace}`,
      `"kubectl get pods -n ${metadata.namespace} --show-labels" shows which labels there are`,
    )
  const ready = found.filter((pod) => isPodReady(pod)).length
  if (ready > 0 || spec?.publishNotReadyAddresses) return healthy(`${ready} of ${found.length} pods with ${labels} answer`)
  const trouble = commonTrouble(found, view)
  if (trouble?.health === "degraded") return { ...trouble, summary: `nothing answers: ${trouble.summary}` }
  return progressing(`nothing answers yet${trouble === undefined ? "" : `: ${trouble.summary}`}`)
}

/** Of a Service without a selector: its creator writes its endpoints. */
function writtenEndpoints({ metadata }: Service, view: ClusterView): Verdict {
  const label = "kubernetes.io/service-name"
  const slices = view
    .list(endpointSlices)
    .filter((slice) => slice.metadata.namespace === metadata.namespace && slice.metadata.labels?.[label] === metadata.name)
  const ready = slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false).length
  if (ready > 0) return healthy(`${ready} endpoints that were written by hand answer`)
  return degraded(
    "nothing answers: it has no selector, and no EndpointSlice or Endpoints was written for it",
    `give it a selector, or write an EndpointSlice with the label ${label}=${metadata.name}`,
  )
}
