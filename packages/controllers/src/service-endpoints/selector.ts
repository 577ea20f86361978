import { keyOf, matchesLabels, nothing, selectorFromLabels } from "@pilothouse/api"
import { type Pod, type Service, services } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { podsByLabel } from "../shared/selected-pods.ts"
import { matchingSelectors, selectorBuckets, selectorIndex } from "../shared/selector-index.ts"

export const servicesBySelector = selectorIndex(services, (service) =>
  selects(service) ? selectorFromLabels(service.spec?.selector) : nothing,
)

/**
 * Reports whether the addresses of a Service come from pods. The creator of a Service without selector provides them, and an ExternalName has none.
 * An empty selector is one that is absent: so the API's documentation, and what is left of it once kube-apiserver has stored it.
 */
export function selects({ spec }: Service): boolean {
  return spec?.type !== "ExternalName" && Object.keys(spec?.selector ?? {}).length > 0
}

/** Returns the pods of a Service in the order of their names: the same pods give the same endpoints in the same order. */
export function podsOf({ metadata, spec }: Service, read: Reader): readonly Pod[] {
  const selector = selectorFromLabels(spec?.selector)
  return selectorBuckets(selector)
    .flatMap((bucket) => read.byIndex(podsByLabel, `${metadata.namespace}/${bucket}`))
    .filter((pod) => matchesLabels(selector, pod.metadata.labels))
    .sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))
}

/** Keys of the Services that select the pod. */
export function servicesOf(pod: Pod, read: Reader): readonly string[] {
  return matchingSelectors(read, servicesBySelector, pod).map(keyOf)
}
