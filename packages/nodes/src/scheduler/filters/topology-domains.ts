import { matchesLabels, type Selector } from "@pilothouse/api"
import type { Pod, TopologySpreadConstraint } from "@pilothouse/api/core/v1"
import type { NodeView } from "../cache/node-state.ts"
import type { PodKinds } from "../cache/pod-kinds.ts"
import { requirementsOf, withRequirements } from "../pod/affinity-terms.ts"
import type { PodFacts } from "../pod/pod-facts.ts"
import { readableSelector } from "../pod/readable-selector.ts"
import { affinityCheck } from "./node-affinity.ts"
import { toleratesTaints } from "./taints.ts"

/** A constraint, read once. */
export interface SpreadConstraint {
  readonly topologyKey: string
  readonly maxSkew: number
  readonly minDomains: number
  readonly selector: Selector
  /** Whether the pods of a node count, and whether it makes a domain. */
  counts(node: NodeView): boolean
}

/** Returns the pod's spread constraints of one kind, parsed. */
export function spreadConstraintsOf({ pod }: PodFacts, when: TopologySpreadConstraint["whenUnsatisfiable"]): readonly SpreadConstraint[] {
  const found = (pod.spec?.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
  if (found.length === 0) return []
  const matches = affinityCheck(pod)
  return found.map((constraint) => ({
    topologyKey: constraint.topologyKey,
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains ?? 1,
    selector: selectorIn(constraint, pod),
    counts: (node) =>
      (constraint.nodeAffinityPolicy === "Ignore" || matches(node)) &&
      (constraint.nodeTaintsPolicy !== "Honor" || toleratesTaints(node, pod.spec?.tolerations)),
  }))
}

function selectorIn({ labelSelector, matchLabelKeys }: TopologySpreadConstraint, { metadata }: Pod): Selector {
  return withRequirements(readableSelector(labelSelector), requirementsOf(matchLabelKeys, metadata.labels, "in"))
}

/** Reports whether the node has the topology key of every constraint. */
export function hasEveryKey({ labels }: NodeView, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined)
}

/** Returns how many matching pods of the namespace are on each node. Terminating ones do not count; an empty selector counts none. */
export function matchingPods(kinds: PodKinds, namespace: string, selector: Selector): ReadonlyMap<NodeView, number> {
  const found = new Map<NodeView, number>()
  if (selector.requirements.length === 0) return found
  for (const kind of kinds.all()) {
    if (kind.namespace !== namespace || kind.isDeleting || !matchesLabels(selector, kind.labels)) continue
    for (const [node, count] of kind.counts) found.set(node, (found.get(node) ?? 0) + count)
  }
  return found
}
