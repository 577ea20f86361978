import type { MetricSpec, MetricTarget, MetricValueStatus } from "@pilothouse/api/autoscaling/v2"
import { groupsOnce, requestsOnce } from "./judged-once.ts"
import { milliQuantity, thousandthsOf, type PodSamples, type Reading } from "./samples.ts"
import { averageUsage, utilizationUsage, type Proposal, replicasByPods } from "./replicas-by-pods.ts"
import type { Judged, MetricProposal } from "./propose.ts"

/** CPU, memory: of whole pods, or of one container in each. */
export function resourceMetric(spec: MetricSpec, reading: Reading, judged: Judged): MetricProposal {
  const container = spec.type === "ContainerResource" ? (spec.containerResource?.container ?? "") : ""
  const source = spec.type === "ContainerResource" ? spec.containerResource : spec.resource
  const { name = "", target = { type: "" } } = source ?? {}
  const { replicas, name: called, current } = byTarget({ resource: name, container, target }, reading, judged)
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

function byTarget(of: Resource, reading: Reading, judged: Judged): Named {
  const { resource, container, target } = of
  if (target.averageValue !== undefined) {
    const { replicas, usage } = saying(`failed to get ${resource} usage`, () =>
      byAverage(
        samplesOf(reading, `unable to get metrics for resource ${resource}`),
        thousandthsOf(target.averageValue!),
        judged,
        resource,
      ),
    )
    return { replicas, name: `${resource} resource`, current: { averageValue: milliQuantity(usage.average, resource) } }
  }
  if (target.averageUtilization === undefined)
    throw new Error("invalid resource metric source: neither an average utilization target nor an average value (usage) target was set")
  const { replicas, usage } = saying(`failed to get ${resource} utilization`, () => byUtilization(of, reading, judged))
  const name = `${resource} ${container === "" ? "" : "container "}resource utilization (percentage of request)`
  return { replicas, name, current: { averageUtilization: usage.utilization, averageValue: milliQuantity(usage.average, resource) } }
}

function byUtilization({ resource, container, target }: Resource, reading: Reading, judged: Judged): Proposal {
  const samples = samplesOf(reading, `unable to get metrics for resource ${resource}`)
  const wanted = target.averageUtilization ?? 0
  // Read when it is needed: that nothing is known of the pods is said before that a request is missing.
  const known = () => requestsOnce(judged, container, resource)
  return replicasByPods({
    ...judged,
    samples,
    resource,
    groups: () => groupsOnce(judged, samples, resource),
    usage: (values) => utilizationUsage(values, known(), wanted),
    assumed: (pod) => Math.trunc(((known().get(pod) ?? 0) * Math.max(100, wanted)) / 100),
  })
}

/** A metric of each pod from the custom metrics API. */
export function podsMetric({ pods }: MetricSpec, reading: Reading, judged: Judged): MetricProposal {
  const { metric, target } = pods ?? { metric: { name: "" }, target: { type: "" } }
  const samples = samplesOf(reading, `unable to get metric ${metric.name}`)
  const { replicas, usage } = byAverage(samples, thousandthsOf(target.averageValue ?? "0"), judged, "")
  const status = { type: "Pods", pods: { metric, current: { averageValue: milliQuantity(usage.average) } } }
  return { replicas, name: `pods metric ${metric.name}`, status }
}

function byAverage(samples: PodSamples, target: number, judged: Judged, resource: string): Proposal {
  const groups = () => groupsOnce(judged, samples, resource)
  return replicasByPods({ ...judged, samples, resource, groups, usage: (values) => averageUsage(values, target), assumed: () => target })
}

function samplesOf(reading: Reading, wanted: string): PodSamples {
  if ("pods" in reading) return reading.pods
  throw new Error(`${wanted}: ${"failure" in reading ? reading.failure : "expected values of pods"}`)
}

function saying<T>(what: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new Error(what, { cause: error })
  }
}
