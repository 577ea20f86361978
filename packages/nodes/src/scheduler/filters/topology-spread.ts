import { matchesLabels } from "@pilothouse/api"
import { smallestOf } from "@pilothouse/seams"
import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import type { Filter } from "./filter.ts"
import { resolvable, unresolvable } from "./refuse.ts"
import { hasEveryKey, matchingPods, type SpreadConstraint, spreadConstraintsOf } from "./topology-domains.ts"

const words = "node(s) didn't match pod topology spread constraints"
const tooMany = resolvable(words)
const noLabel = unresolvable(`${words} (missing required label)`)

interface Spread extends SpreadConstraint {
  /** Matching pods in each domain. */
  readonly domains: ReadonlyMap<string, number>
  readonly fewest: number
  /** 1 when the pod itself will count. */
  readonly self: number
}

/** The filter of PodTopologySpread: refuses nodes on which the pod would exceed the maxSkew of a DoNotSchedule constraint. */
export const topologySpread: Filter = (observed) => {
  const constraints = spreadConstraintsOf(observed.pod, "DoNotSchedule")
  if (constraints.length === 0) return undefined
  const counted = observed.nodes.list().filter((node) => hasEveryKey(node, constraints))
  const spreads = constraints.map((constraint) => spreadOf(constraint, counted, observed))
  return ({ labels }) => {
    for (const { topologyKey, maxSkew, domains, fewest, self } of spreads) {
      const domain = labels[topologyKey]
      if (domain === undefined) return noLabel
      if ((domains.get(domain) ?? 0) + self - fewest > maxSkew) return tooMany
    }
    return undefined
  }
}

function spreadOf(constraint: SpreadConstraint, counted: readonly NodeView[], { pod, nodes }: Observed): Spread {
  const { topologyKey, selector, minDomains } = constraint
  const matching = matchingPods(nodes.placed.kinds, pod.namespace, selector)
  const domains = new Map<string, number>()
  for (const node of counted) {
    const domain = node.labels[topologyKey] ?? ""
    if (constraint.counts(node)) domains.set(domain, (domains.get(domain) ?? 0) + (matching.get(node) ?? 0))
  }
  // Too few domains: as if there were an empty one still to come.
  const fewest = domains.size < minDomains ? 0 : smallestOf(domains.values())
  return { ...constraint, domains, fewest, self: matchesLabels(selector, pod.labels) ? 1 : 0 }
}
