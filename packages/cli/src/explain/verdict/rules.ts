import {
  compareAmounts,
  type Descriptor,
  findCondition,
  formatLabelSelector,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  type KubeObject,
  matchesLabels,
  parseQuantity,
  resourceNameOf,
  selectorFromLabels,
} from "@pilothouse/api"
import { daemonSets, deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import {
  type Namespace,
  type Node,
  namespaces,
  nodes,
  persistentVolumeClaims,
  pods,
  type ResourceQuota,
  replicationControllers,
  resourceQuotas,
  type Service,
  services,
} from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { claimVerdict } from "./claims.ts"
import type { ClusterView } from "./cluster-view.ts"
import { commonTrouble, podVerdict } from "./pod-trouble.ts"
import { degraded, healthy, progressing, suspended, type Verdict } from "./verdict.ts"
import { cronJobVerdict, daemonSetVerdict, deploymentVerdict, jobVerdict, replicasVerdict } from "./workloads.ts"

/** Conditions of a node that are bad when they are true. */
const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"]

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

type Rule<T extends KubeObject> = (object: T, view: ClusterView) => Verdict

interface Row {
  readonly of: Descriptor
  readonly judge: Rule<KubeObject>
  /** Whether the object itself says all. */
  readonly isAlone: boolean
}

function row<T extends KubeObject>(of: Descriptor<T>, judge: Rule<T>, { isAlone = false } = {}): Row {
  return { of, judge: judge as unknown as Rule<KubeObject>, isAlone }
}

/** Kinds with a rule of their own, in the order in which a list shows those of the same health: causes after what suffers from them. */
const rows: readonly Row[] = [
  row(nodes, nodeVerdict, { isAlone: true }),
  row(namespaces, namespaceVerdict, { isAlone: true }),
  row(deployments, deploymentVerdict),
  row(statefulSets, replicasVerdict),
  row(daemonSets, daemonSetVerdict),
  row(jobs, jobVerdict),
  row(cronJobs, cronJobVerdict),
  row(services, serviceVerdict),
  row(persistentVolumeClaims, claimVerdict),
  row(horizontalPodAutoscalers, autoscalerVerdict),
  row(resourceQuotas, quotaVerdict, { isAlone: true }),
  row(replicaSets, replicasVerdict),
  row(replicationControllers, replicasVerdict),
  row(pods, podVerdict),
]

const rules: ReadonlyMap<string, Row> = new Map(rows.map((one) => [resourceNameOf(one.of), one]))

/** The kinds with a rule, for lists of what is not well. */
export const judgedKinds: readonly Descriptor[] = rows.map(({ of }) => of)

/** Reports whether the verdict on a kind needs more than the object itself. */
export function needsView(of: Pick<Descriptor, "group" | "plural">): boolean {
  return rules.get(resourceNameOf(of))?.isAlone === false
}

/** Returns how an object is, and the one cause where it is not well. Pure. */
export function verdictOf(of: Pick<Descriptor, "group" | "plural">, object: KubeObject, view: ClusterView): Verdict {
  const { judge = anyVerdict } = rules.get(resourceNameOf(of)) ?? {}
  const verdict = judge(object, view)
  const { deletionTimestamp, finalizers = [] } = object.metadata
  if (!deletionTimestamp || rules.get(resourceNameOf(of))?.of === pods || verdict.health === "degraded") return verdict
  return finalizers?.length ? progressing(`deleted, and held by ${finalizers.join(", ")}`) : progressing("deleted")
}

/** Returns the verdict of a node's conditions; a cordoned one is suspended. */
function nodeVerdict({ spec, status, metadata }: Node): Verdict {
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
function namespaceVerdict({ metadata, status }: Namespace): Verdict {
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
function quotaVerdict({ status }: ResourceQuota): Verdict {
  const full = Object.entries(status?.hard ?? {}).filter(([name, hard]) => {
    const used = status?.used?.[name]
    return used !== undefined && compareAmounts(parseQuantity(used), parseQuantity(hard)) >= 0
  })
  if (full.length === 0) return healthy("something of every resource is left")
  const text = full.map(([name, hard]) => `${name} (${status?.used?.[name]} of ${hard})`).join(", ")
  return suspended(`used up: ${text}; requests for more are refused`, "delete what is not needed, or raise the limit")
}

/** Reports whether it can scale; where it cannot because its target is not well, the cause is the target's. */
function autoscalerVerdict(autoscaler: HorizontalPodAutoscaler, view: ClusterView): Verdict {
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

/** Returns the verdict of an object of any kind by its deletion and its conditions. Custom resources follow these conventions. */
function anyVerdict({ metadata, status }: KubeObject & { readonly status?: unknown }): Verdict {
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
function serviceVerdict(service: Service, view: ClusterView): Verdict {
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
