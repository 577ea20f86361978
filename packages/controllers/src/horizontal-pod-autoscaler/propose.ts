import { isPodReady } from "@pilothouse/api"
import type { MetricSpec, MetricStatus } from "@pilothouse/api/autoscaling/v2"
import type { Pod } from "@pilothouse/api/core/v1"
import { messageOf } from "@pilothouse/seams"
import { formatLabelSelector } from "../shared/format-label-selector.ts"
import { isWithin, type Tolerances } from "./normalize.ts"
import { podsMetric, resourceMetric } from "./pod-metrics.ts"
import type { ReadinessOptions } from "./replica-calculator.ts"
import { milliQuantity, milliValue, type Reading, roundUpReplicas } from "./samples.ts"

/** The greatest 64-bit number: what upstream's sums stay at. */
const maxInt64 = 2 ** 63

/** What a metric is judged by. */
export interface MetricContext extends ReadinessOptions {
  readonly namespace: string
  readonly pods: readonly Pod[]
  /** spec.replicas of the target. */
  readonly current: number
  /** status.replicas of the target. */
  readonly running: number
  readonly tolerances: Tolerances
  readonly now: number
}

export interface MetricProposal {
  readonly replicas: number
  /** How messages name the metric: "cpu resource utilization (percentage of request)". */
  readonly name: string
  readonly status: MetricStatus
}

/** Why a metric proposes nothing. */
export interface MetricFailure {
  /** "FailedGetResourceMetric": of the event and of the condition. */
  readonly reason: string
  /** What the event says. */
  readonly message: string
  /** The same with what it was wanted for, as the event about all metrics together says it. */
  readonly error: string
}

export type Proposed = MetricProposal | { readonly failure: MetricFailure }

export function isFailure(proposed: Proposed): proposed is { readonly failure: MetricFailure } {
  return "failure" in proposed
}

/** Returns how many replicas one metric asks for: upstream's computeReplicasForMetric. */
export function propose(spec: MetricSpec, reading: Reading, context: MetricContext): Proposed {
  switch (spec.type) {
    case "Resource":
      return attempt("FailedGetResourceMetric", `failed to get ${spec.resource?.name} resource metric value: `, () =>
        resourceMetric(spec, reading, context),
      )
    case "ContainerResource":
      return attempt(
        "FailedGetContainerResourceMetric",
        `failed to get ${spec.containerResource?.container} container metric value: `,
        () => resourceMetric(spec, reading, context),
      )
    case "Pods":
      return attempt("FailedGetPodsMetric", "failed to get pods metric value: ", () => podsMetric(spec, reading, context))
    case "Object":
      return attempt(
        "FailedGetObjectMetric",
        `failed to get object metric value: ${spec.object?.target.type === "AverageValue" ? `failed to get ${spec.object.metric.name} object metric: ` : ""}`,
        () => objectMetric(spec, reading, context),
      )
    case "External":
      return attempt("FailedGetExternalMetric", externalPrefix(spec), () => externalMetric(spec, reading, context))
    default: {
      const message = `unknown metric source type "${spec.type}"`
      return { failure: { reason: "InvalidMetricSourceType", message, error: message } }
    }
  }
}

function externalPrefix({ external }: MetricSpec): string {
  const name = external?.metric.name
  const outer = `failed to get ${name} external metric value: `
  if (external?.target.averageValue !== undefined) return `${outer}failed to get ${name} external metric: `
  return external?.target.value === undefined ? outer : `${outer}failed to get external metric ${name}: `
}

function attempt(reason: string, prefix: string, make: () => MetricProposal): Proposed {
  try {
    return make()
  } catch (error) {
    const message = messageOf(error)
    return { failure: { reason, message, error: `${prefix}${message}` } }
  }
}

/** All values of an external metric together. */
function sumValues(values: readonly number[]): number {
  return Math.min(
    values.reduce((sum, value) => sum + value, 0),
    maxInt64,
  )
}

/** For a target that is one value: as many times the ready pods as the value is of its target. From zero there are none to multiply. */
function replicasByValue(ratio: number, current: number, pods: readonly Pod[], tolerances: Tolerances): number {
  if (current === 0) return roundUpReplicas(ratio)
  if (isWithin(tolerances, ratio)) return current
  if (pods.length === 0) throw new Error("unable to calculate ready pods: no pods returned by selector while calculating replica count")
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod)).length
  return roundUpReplicas(ratio * ready)
}

/** For a target per pod: as many pods as share the total. `running` is what the target's status says it has. */
function replicasByShare(total: number, target: number, running: number, tolerances: Tolerances): number {
  // From zero the ratio is infinite, or not a number when there is nothing to do: then 0 / target is 0 replicas.
  return isWithin(tolerances, total / (target * running)) ? running : roundUpReplicas(total / target)
}

/** What each pod has of the total, for the status. */
function perPodShare(total: number, running: number): number {
  return total >= maxInt64 || running === 0 ? total : Math.ceil(total / running)
}

/** A metric of one object: the requests that come to an Ingress, say. */
function objectMetric({ object }: MetricSpec, reading: Reading, context: MetricContext): MetricProposal {
  const { describedObject, metric, target } = object!
  const status = (current: object): MetricStatus => ({ type: "Object", object: { describedObject, metric, current } })
  // In upstream's odd order, so that a search for the message finds it.
  const prefix = `unable to get metric ${metric.name}: ${describedObject.kind} on ${context.namespace} ${describedObject.name}/`
  if (target.type === "Value" && target.value !== undefined) {
    const value = sumValues(valuesIn(reading, prefix))
    const replicas = replicasByValue(value / milliValue(target.value), context.current, context.pods, context.tolerances)
    return { replicas, name: `${describedObject.kind} metric ${metric.name}`, status: status({ value: milliQuantity(value) }) }
  }
  if (target.type !== "AverageValue" || target.averageValue === undefined)
    throw new Error("invalid object metric source: neither a value target nor an average value target was set")
  const total = sumValues(valuesIn(reading, prefix))
  const replicas = replicasByShare(total, milliValue(target.averageValue), context.running, context.tolerances)
  const current = { averageValue: milliQuantity(perPodShare(total, context.running)) }
  return { replicas, name: externalName(metric), status: status(current) }
}

/** A metric of something outside of the cluster: the length of a queue. */
function externalMetric({ external }: MetricSpec, reading: Reading, context: MetricContext): MetricProposal {
  const { metric, target } = external!
  const status = (current: object): MetricStatus => ({ type: "External", external: { metric, current } })
  const prefix = `unable to get external metric ${context.namespace}/${metric.name}/${formatLabelSelector(metric.selector)}: `
  if (target.averageValue !== undefined) {
    const total = sumValues(valuesIn(reading, prefix))
    const replicas = replicasByShare(total, milliValue(target.averageValue), context.running, context.tolerances)
    return { replicas, name: externalName(metric), status: status({ averageValue: milliQuantity(perPodShare(total, context.running)) }) }
  }
  if (target.value === undefined)
    throw new Error("invalid external metric source: neither a value target nor an average value target was set")
  const value = sumValues(valuesIn(reading, prefix))
  const replicas = replicasByValue(value / milliValue(target.value), context.current, context.pods, context.tolerances)
  return { replicas, name: externalName(metric), status: status({ value: milliQuantity(value) }) }
}

function externalName({
  name,
  selector,
}: {
  readonly name: string
  readonly selector?: Parameters<typeof formatLabelSelector>[0]
}): string {
  return `external metric ${name}(${formatLabelSelector(selector)})`
}

function valuesIn(reading: Reading, prefix: string): readonly number[] {
  if ("values" in reading) return reading.values
  throw new Error(`${prefix}${"failure" in reading ? reading.failure : "expected plain values"}`)
}
