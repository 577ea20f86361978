import { isPodReady } from "@pilothouse/api"
import type { MetricSpec, MetricStatus } from "@pilothouse/api/autoscaling/v2"
import type { Pod } from "@pilothouse/api/core/v1"
import { formatLabelSelector } from "../shared/format-label-selector.ts"
import { isWithin, type Tolerances } from "./normalize.ts"
import type { MetricContext, MetricProposal } from "./propose.ts"
import { milliQuantity, milliValue, type Reading, roundUpReplicas } from "./samples.ts"

/** The greatest 64-bit number: what upstream's sums stay at. */
const maxInt64 = 2 ** 63

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
export function objectMetric({ object }: MetricSpec, reading: Reading, context: MetricContext): MetricProposal {
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
export function externalMetric({ external }: MetricSpec, reading: Reading, context: MetricContext): MetricProposal {
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
