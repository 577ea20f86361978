import { matchesLabels, type Selector } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { index, type Reader } from "@pilothouse/runtime"
import { selectorBuckets } from "./selector-index.ts"

/** Pods under each of their labels. */
export const podsByLabel = index(pods, "namespace-and-label", ({ metadata }) =>
  Object.entries(metadata.labels ?? {}).map(([name, value]) => `${metadata.namespace}/${name}=${value}`),
)

/**
 * Returns the pods of a namespace that a selector matches, in the order of their names. The calling controller declares podsByLabel.
 * Only a selector that names no label by its value (also an empty one) reads the whole namespace.
 */
export function selectedPods(read: Reader, namespace: string, selector: Selector): readonly Pod[] {
  if (selector.nothing) return []
  const buckets = selectorBuckets(selector)
  const byValue = buckets.length > 0 && !buckets.includes("*")
  const candidates = byValue ? buckets.flatMap((bucket) => read.byIndex(podsByLabel, `${namespace}/${bucket}`)) : read.list(pods, namespace)
  return candidates
    .filter((pod) => matchesLabels(selector, pod.metadata.labels))
    .sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))
}
