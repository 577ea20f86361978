import type { MetricSpec, MetricTarget, MetricValueStatus } from "@pilothouse/api/autoscaling/v2"
import type { MetricContext, MetricProposal } from "./propose.ts"
import {
  averageUsage,
  groupPods,
  type PodGroups,
  type PodValues,
  type Proposal,
  replicasByPods,
  requestsByPod,
  utilizationUsage,
} from "./replica-calculator.ts"
import { milliQuantity, milliValue, type PodSamples, type Reading } from "./samples.ts"

/** CPU, memory: of whole pods, or of one container in each. */
export function resourceMetric(spec: MetricSpec, reading: Reading, context: MetricContext): MetricProposal {
  const container = spec.type === "ContainerResource" ? (spec.containerResource?.container ?? "") : ""
  const source = spec.type === "ContainerResource" ? spec.containerResource : spec.resource
  const { name = "", target = { type: "" } } = source ?? {}
  const { replicas, name: called, current } = byTarget({ resource: name, container, target }, reading, context)
  const status =
    spec.type === "ContainerResource"
      ? { type: spec.type, containerResource: { name, container, current } }
      : { type: spec.type, resource: { name, current } }
  return { replicas, name: called, status }
}

interface Resource {
  readonly resource: string
  readonly container: string
  readonly target: MetricTarget
}

interface Named {
  readonly replicas: number
  readonly name: string
  readonly current: MetricValueStatus
}

function byTarget(of: Resource, reading: Reading, context: MetricContext): Named {
  const { resource, container, target } = of
  if (target.averageValue !== undefined) {
    const { replicas, usage } = wrapErrors(`failed to get ${resource} usage`, () =>
      byAverage(
        requirePodSamples(reading, `unable to get metrics for resource ${resource}`),
        milliValue(target.averageValue!),
        context,
        resource,
      ),
    )
    return { replicas, name: `${resource} resource`, current: { averageValue: milliQuantity(usage.average, resource) } }
  }
  if (target.averageUtilization === undefined)
    throw new Error("invalid resource metric source: neither an average utilization target nor an average value (usage) target was set")
  const { replicas, usage } = wrapErrors(`failed to get ${resource} utilization`, () => byUtilization(of, reading, context))
  const name = `${resource} ${container === "" ? "" : "container "}resource utilization (percentage of request)`
  return { replicas, name, current: { averageUtilization: usage.utilization, averageValue: milliQuantity(usage.average, resource) } }
}

function byUtilization({ resource, container, target }: Resource, reading: Reading, context: MetricContext): Proposal {
  const samples = requirePodSamples(reading, `unable to get metrics for resource ${resource}`)
  const targetPercent = target.averageUtilization ?? 0
  // Read when it is needed: that nothing is known of the pods is said before that a request is missing.
  const known = () => cachedRequests(context, container, resource)
  return replicasByPods({
    ...context,
    samples,
    resource,
    groups: () => cachedGroups(context, samples, resource),
    usage: (values) => utilizationUsage(values, known(), targetPercent),
    assumed: (pod) => Math.trunc(((known().get(pod) ?? 0) * Math.max(100, targetPercent)) / 100),
  })
}

/** A metric of each pod from the custom metrics API. */
export function podsMetric({ pods }: MetricSpec, reading: Reading, context: MetricContext): MetricProposal {
  const { metric, target } = pods ?? { metric: { name: "" }, target: { type: "" } }
  const samples = requirePodSamples(reading, `unable to get metric ${metric.name}`)
  const { replicas, usage } = byAverage(samples, milliValue(target.averageValue ?? "0"), context, "")
  const status = { type: "Pods", pods: { metric, current: { averageValue: milliQuantity(usage.average) } } }
  return { replicas, name: `pods metric ${metric.name}`, status }
}

function byAverage(samples: PodSamples, target: number, context: MetricContext, resource: string): Proposal {
  const groups = () => cachedGroups(context, samples, resource)
  return replicasByPods({ ...context, samples, resource, groups, usage: (values) => averageUsage(values, target), assumed: () => target })
}

function requirePodSamples(reading: Reading, prefix: string): PodSamples {
  if ("pods" in reading) return reading.pods
  throw new Error(`${prefix}: ${"failure" in reading ? reading.failure : "expected values of pods"}`)
}

function wrapErrors<T>(what: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new Error(what, { cause: error })
  }
}

/** A value, or what was thrown instead. */
type Outcome<T> = { readonly value: T } | { readonly error: unknown }

/** The facts that one reconcile has computed about the pods of a target. An HPA may have 3,000 metrics of one resource. */
interface PodFacts {
  readonly requests: Map<string, Outcome<PodValues>>
  readonly groups: Map<PodSamples, Map<string, Outcome<PodGroups>>>
}

const factsByContext = new WeakMap<MetricContext, PodFacts>()

/** As requestsByPod, once for each resource of each container. */
export function cachedRequests(context: MetricContext, container: string, resource: string): PodValues {
  return once(podFacts(context).requests, `${container}/${resource}`, () => requestsByPod(context.pods, container, resource))
}

/** As groupPods, once for the samples of each resource. */
export function cachedGroups(context: MetricContext, samples: PodSamples, resource: string): PodGroups {
  const { groups } = podFacts(context)
  const ofSamples = groups.get(samples) ?? new Map<string, Outcome<PodGroups>>()
  groups.set(samples, ofSamples)
  return once(ofSamples, resource, () => groupPods(context.pods, samples, { ...context, resource }))
}

function podFacts(context: MetricContext): PodFacts {
  const known = factsByContext.get(context) ?? { requests: new Map(), groups: new Map() }
  factsByContext.set(context, known)
  return known
}

function once<T>(outcomes: Map<string, Outcome<T>>, key: string, make: () => T): T {
  const outcome = outcomes.get(key) ?? attempt(make)
  outcomes.set(key, outcome)
  if ("error" in outcome) throw outcome.error
  return outcome.value
}

function attempt<T>(make: () => T): Outcome<T> {
  try {
    return { value: make() }
  } catch (error) {
    return { error }
  }
}
