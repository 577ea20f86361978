import type { Pod } from "./generated/core/v1.types.ts"
import { type LabelledNode, matchesNodeTerms, nodeTermsOf } from "./node-affinity.ts"

/** Whether the pod's nodeSelector and its required node affinity allow the node. For many nodes ask once for the check and use it on each. */
export function requiredNodeAffinity(pod: Pick<Pod, "spec">): (node: LabelledNode) => boolean {
  const wanted = Object.entries(pod.spec?.nodeSelector ?? {})
  const selector = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const terms = selector === undefined ? undefined : nodeTermsOf(selector)
  return (node) => {
    if (!wanted.every(([key, value]) => node.metadata.labels?.[key] === value)) return false
    return terms === undefined || matchesNodeTerms(terms, node)
  }
}
