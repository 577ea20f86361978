import { amountMilliValue, findCondition, isSidecar, parseQuantity, parseTime, podRequests } from "@pilothouse/api"
import type { Container, Pod } from "@pilothouse/api/core/v1"
import { isWithin, type Tolerances } from "./normalize.ts"
import { type PodSample, type PodSamples, roundUpReplicas } from "./samples.ts"

/** One metric of the pods of a target, with its rules: how a value becomes a share of the target, and what a pod without a value counts as. */
export interface PodMeasure extends GroupOptions {
  readonly pods: readonly Pod[]
  readonly samples: PodSamples
  readonly current: number
  readonly tolerances: Tolerances
  /** What the samples are good for, where it is known already. */
  groups?(): PodGroups
  /** Use against the target. */
  usage(values: PodValues): Usage
  /** What a pod that said nothing is taken to use when there seem to be too many. */
  assumed(pod: string): number
}

export interface Proposal {
  readonly replicas: number
  readonly usage: Usage
}

/**
 * How many replicas a metric of pods asks for. Where pods are missing or not ready, the worst is assumed for whatever the others ask for:
 * that they use much when fewer would do, and nothing when more are wanted. If that turns the direction round, nothing is changed.
 * Of 4 pods with a target of 50, three use 80 and one is unready: 3 pods say 1.6, with the fourth at 0 it is 1.2, so 5 pods and not 7.
 */
export function replicasByPods(measure: PodMeasure): Proposal {
  const { pods, samples, current, tolerances } = measure
  if (pods.length === 0) throw new Error("no pods returned by selector while calculating replica count")
  const groups = measure.groups?.() ?? groupPods(pods, samples, measure)
  const values = sampleValues(samples, [...groups.ignored, ...groups.unready])
  if (values.size === 0) throw new Error("did not receive metrics for targeted pods (pods might be unready)")
  const usage = measure.usage(values)
  const rebalances = groups.missing.length > 0 || (groups.unready.length > 0 && usage.ratio > 1)
  if (rebalances) return { replicas: cautious(measure, groups, values, usage.ratio), usage }
  return { replicas: isWithin(tolerances, usage.ratio) ? current : roundUpReplicas(usage.ratio * groups.ready), usage }
}

function cautious(measure: PodMeasure, groups: PodGroups, values: Map<string, number>, ratio: number): number {
  const { current, tolerances } = measure
  if (ratio < 1) for (const name of groups.missing) values.set(name, measure.assumed(name))
  if (ratio > 1) for (const name of [...groups.missing, ...groups.unready]) values.set(name, 0)
  const next = measure.usage(values).ratio
  const turns = (ratio < 1 && next > 1) || (ratio > 1 && next < 1)
  if (isWithin(tolerances, next) || turns) return current
  const replicas = roundUpReplicas(next * values.size)
  return next < 1 ? Math.min(replicas, current) : Math.max(replicas, current)
}

/** Values by the name of the pod, in thousandths. */
export type PodValues = ReadonlyMap<string, number>

export interface Usage {
  /** Use as a share of the target: 2 is twice as much as wanted. */
  readonly ratio: number
  /** The average of a pod. */
  readonly average: number
  /** In percent of what was requested, where the target is such. */
  readonly utilization?: number
}

export function sampleValues(samples: PodSamples, without: readonly string[]): Map<string, number> {
  const remaining = new Map([...samples].map(([name, { value }]) => [name, value]))
  for (const name of without) remaining.delete(name)
  return remaining
}

/** Against a target for the average pod. Parts are cut off, as upstream's whole numbers do. */
export function averageUsage(values: PodValues, target: number): Usage {
  const total = [...values.values()].reduce((sum, value) => sum + value, 0)
  const average = Math.trunc(total / values.size)
  return { ratio: average / target, average }
}

/** Against a target in percent of the requests. Values of pods that are not among the requests do not count. */
export function utilizationUsage(values: PodValues, requests: PodValues, target: number): Usage {
  const counted = [...values].filter(([name]) => requests.has(name))
  const total = counted.reduce((sum, [, value]) => sum + value, 0)
  const requested = counted.reduce((sum, [name]) => sum + (requests.get(name) ?? 0), 0)
  if (requested === 0) throw new Error("no metrics returned matched known pods")
  const utilization = Math.trunc((total * 100) / requested)
  return { ratio: utilization / target, average: Math.trunc(total / counted.length), utilization }
}

export interface ReadinessOptions {
  /** --horizontal-pod-autoscaler-cpu-initialization-period, in milliseconds: so long after its start the CPU use of a pod may mean nothing. */
  readonly cpuInitializationPeriod: number
  /** --horizontal-pod-autoscaler-initial-readiness-delay: a pod that became unready within it has never been ready. */
  readonly initialReadinessDelay: number
}

/** Names of pods by what their samples are good for. */
export interface PodGroups {
  readonly ready: number
  /** Not up yet, or so young that their CPU use is that of starting. */
  readonly unready: readonly string[]
  /** They run without a known usage. */
  readonly missing: readonly string[]
  /** On their way out, or failed. */
  readonly ignored: readonly string[]
}

type Group = "ready" | Exclude<keyof PodGroups, "ready">

export interface GroupOptions extends ReadinessOptions {
  /** The resource that is measured; "" for metrics of other kinds. Only CPU has a warm-up. */
  readonly resource: string
  readonly now: number
}

export function groupPods(pods: readonly Pod[], samples: PodSamples, options: GroupOptions): PodGroups {
  const found: Record<Group, string[]> = { ready: [], unready: [], missing: [], ignored: [] }
  for (const pod of pods) found[classifyPod(pod, samples.get(pod.metadata.name ?? ""), options)].push(pod.metadata.name ?? "")
  return { ...found, ready: found.ready.length }
}

function classifyPod(pod: Pod, sample: PodSample | undefined, options: GroupOptions): Group {
  const { phase } = pod.status ?? {}
  if (pod.metadata.deletionTimestamp !== undefined || phase === "Failed") return "ignored"
  if (phase === "Pending") return "unready"
  if (sample === undefined) return "missing"
  return options.resource === "cpu" && isWarmingUp(pod, sample, options) ? "unready" : "ready"
}

/**
 * In its first minutes a pod counts only when it is ready and the sample was taken over a window that began after it became so.
 * Later one that is not ready still counts (it may be overloaded), unless it never was ready.
 */
function isWarmingUp({ status }: Pod, sample: PodSample, options: GroupOptions): boolean {
  const ready = findCondition(status?.conditions, "Ready")
  if (ready === undefined || !status?.startTime) return true
  const started = parseTime(status.startTime)
  const changed = ready.lastTransitionTime ? parseTime(ready.lastTransitionTime) : 0
  const isUnready = ready.status === "False"
  if (started + options.cpuInitializationPeriod > options.now) return isUnready || sample.at < changed + sample.window
  return isUnready && started + options.initialReadinessDelay > changed
}

/**
 * Returns what each pod requests of a resource, in thousandths: for one container, for the pod as a whole where it says so, or for all its
 * containers, sidecars included. Throws where a request is missing: a share of nothing cannot be said.
 */
export function requestsByPod(pods: readonly Pod[], container: string, resource: string): PodValues {
  return new Map(pods.map((pod) => [pod.metadata.name ?? "", effectiveRequest(pod, container, resource)]))
}

function effectiveRequest(pod: Pod, container: string, resource: string): number {
  if (container !== "") return containerRequest(pod, container, resource)
  return hasPodRequests(pod) ? podRequest(pod, resource) : sumOfContainers(pod, resource)
}

function hasPodRequests({ spec }: Pod): boolean {
  const names = Object.keys(spec?.resources?.requests ?? {})
  return names.some((name) => name === "cpu" || name === "memory" || name.startsWith("hugepages-"))
}

function podRequest(pod: Pod, resource: string): number {
  const amount = podRequests(pod).get(resource)
  if (amount === undefined) throw new Error(`missing pod-level request for ${resource} in Pod ${pod.metadata.name}`)
  return amountMilliValue(amount)
}

function sumOfContainers(pod: Pod, resource: string): number {
  return running(pod).reduce((sum, container) => sum + requestIn(container, pod, resource), 0)
}

function containerRequest(pod: Pod, name: string, resource: string): number {
  const found = running(pod).find((container) => container.name === name)
  if (found === undefined) throw new Error(`container ${name} not found in Pod ${pod.metadata.name}`)
  return requestIn(found, pod, resource)
}

function running({ spec }: Pod): readonly Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)]
}

function requestIn({ name, resources }: Container, pod: Pod, resource: string): number {
  const request = resources?.requests?.[resource]
  if (request === undefined) throw new Error(`missing request for ${resource} in container ${name} of Pod ${pod.metadata.name}`)
  return amountMilliValue(parseQuantity(String(request)))
}
