import type { MetricContext } from "./propose.ts"
import { groupPods, type PodGroups, type PodValues, requestsByPod } from "./replica-calculator.ts"
import type { PodSamples } from "./samples.ts"

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
