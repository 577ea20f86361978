import { groupPods, type PodGroups, type PodValues, requestsOf } from "./replicas-by-pods.ts"
import type { Judged } from "./propose.ts"
import type { PodSamples } from "./samples.ts"

/** A value, or what was thrown instead. */
type Outcome<T> = { readonly value: T } | { readonly error: unknown }

/** What one reconcile has found out about the pods of a target. An HPA may have 3,000 metrics of one resource. */
interface Found {
  readonly requests: Map<string, Outcome<PodValues>>
  readonly groups: Map<PodSamples, Map<string, Outcome<PodGroups>>>
}

const found = new WeakMap<Judged, Found>()

/** As requestsOf, once for each resource of each container. */
export function requestsOnce(judged: Judged, container: string, resource: string): PodValues {
  return once(foundOf(judged).requests, `${container}/${resource}`, () => requestsOf(judged.pods, container, resource))
}

/** As groupPods, once for the samples of each resource. */
export function groupsOnce(judged: Judged, samples: PodSamples, resource: string): PodGroups {
  const { groups } = foundOf(judged)
  const ofSamples = groups.get(samples) ?? new Map<string, Outcome<PodGroups>>()
  groups.set(samples, ofSamples)
  return once(ofSamples, resource, () => groupPods(judged.pods, samples, { ...judged, resource }))
}

function foundOf(judged: Judged): Found {
  const known = found.get(judged) ?? { requests: new Map(), groups: new Map() }
  found.set(judged, known)
  return known
}

function once<T>(outcomes: Map<string, Outcome<T>>, key: string, make: () => T): T {
  const outcome = outcomes.get(key) ?? outcomeOf(make)
  outcomes.set(key, outcome)
  if ("error" in outcome) throw outcome.error
  return outcome.value
}

function outcomeOf<T>(make: () => T): Outcome<T> {
  try {
    return { value: make() }
  } catch (error) {
    return { error }
  }
}
