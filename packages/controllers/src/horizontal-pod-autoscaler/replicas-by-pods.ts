import type { Pod } from "@pilothouse/api/core/v1"
import { type GroupOptions, groupPods, type PodGroups } from "./group-pods.ts"
import { type PodValues, type Usage, valuesOf } from "./pod-usage.ts"
import { type PodSamples, wholeReplicas } from "./samples.ts"
import { isWithin, type Tolerances } from "./tolerance.ts"

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
  const values = valuesOf(samples, [...groups.ignored, ...groups.unready])
  if (values.size === 0) throw new Error("did not receive metrics for targeted pods (pods might be unready)")
  const usage = measure.usage(values)
  const rebalances = groups.missing.length > 0 || (groups.unready.length > 0 && usage.ratio > 1)
  if (rebalances) return { replicas: cautious(measure, groups, values, usage.ratio), usage }
  return { replicas: isWithin(tolerances, usage.ratio) ? current : wholeReplicas(usage.ratio * groups.ready), usage }
}

function cautious(measure: PodMeasure, groups: PodGroups, values: Map<string, number>, ratio: number): number {
  const { current, tolerances } = measure
  if (ratio < 1) for (const name of groups.missing) values.set(name, measure.assumed(name))
  if (ratio > 1) for (const name of [...groups.missing, ...groups.unready]) values.set(name, 0)
  const next = measure.usage(values).ratio
  const turns = (ratio < 1 && next > 1) || (ratio > 1 && next < 1)
  if (isWithin(tolerances, next) || turns) return current
  const replicas = wholeReplicas(next * values.size)
  return next < 1 ? Math.min(replicas, current) : Math.max(replicas, current)
}
