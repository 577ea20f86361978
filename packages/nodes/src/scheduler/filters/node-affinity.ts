import { requiredNodeAffinity } from "@pilothouse/api"
import type { NodeSelectorTerm, Pod } from "@pilothouse/api/core/v1"
import type { NodeView } from "../cache/node-state.ts"
import type { Filter } from "./filter.ts"
import { unresolvable } from "./refuse.ts"

const refusal = unresolvable("node(s) didn't match Pod's node affinity/selector")

/** The filter of NodeAffinity: refuses nodes that nodeSelector or required node affinity exclude. */
export const nodeAffinity: Filter = ({ pod }) => {
  if (!hasNodeAffinity(pod.pod)) return undefined
  const matches = affinityCheck(pod.pod)
  return (node) => (matches(node) ? undefined : refusal)
}

function hasNodeAffinity({ spec }: Pod): boolean {
  return spec?.nodeSelector !== undefined || spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined
}

/** A term that cannot be read matches no node. */
export function affinityCheck(pod: Pod): (node: NodeView) => boolean {
  if (!hasNodeAffinity(pod)) return () => true
  const matches = requiredNodeAffinity(pod)
  return ({ node }) => {
    try {
      return matches(node)
    } catch {
      return false
    }
  }
}

/** The nodes that the pod names, where every term of its affinity names some: a daemon's pod need not look at any other. */
export function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (terms === undefined || terms.length === 0) return undefined
  const named = terms.map(namesIn)
  return named.includes(undefined) ? undefined : new Set(named.flatMap((names) => names ?? []))
}

function namesIn({ matchFields = [] }: NodeSelectorTerm): readonly string[] | undefined {
  const lists = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In").map(({ values }) => values ?? [])
  return lists.length === 0 ? undefined : lists.reduce((left, right) => left.filter((name) => right.includes(name)))
}
