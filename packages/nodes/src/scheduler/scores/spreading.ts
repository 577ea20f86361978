import type { Selector } from "@pilothouse/api"
import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import { affinityCheck } from "../filters/node-affinity.ts"
import { hasEveryKey, matchingPods, type SpreadConstraint, spreadConstraintsOf } from "../filters/topology-domains.ts"
import { maxNodeScore } from "./normalize-scores.ts"
import type { Score } from "./score.ts"

const hostname = "kubernetes.io/hostname"
const zone = "topology.kubernetes.io/zone"

/** The score of PodTopologySpread: fewer of its like in the node's domains is better: as the pod's own constraints say, or by Service and owner where it has none. */
export const spreading: Score = (observed, fitting) => {
  const own = (observed.pod.pod.spec?.topologySpreadConstraints ?? []).length > 0
  const constraints = own ? spreadConstraintsOf(observed.pod, "ScheduleAnyway") : defaultConstraints(observed)
  if (constraints.length === 0) return undefined
  // Nodes without a zone still get their pods spread by host where no constraint names zones.
  const isCounted = (node: NodeView) => !own || hasEveryKey(node, constraints)
  const counted = fitting.filter(isCounted)
  const parts = constraints.map((constraint) => partOf(constraint, counted, isCounted, observed))
  const raw = fitting.map((node) => (isCounted(node) ? Math.round(parts.reduce((sum, part) => sum + part(node), 0)) : undefined))
  return fewestFirst(raw)
}

function defaultConstraints({ pod, spreadBy }: Observed): readonly SpreadConstraint[] {
  if (spreadBy === undefined) return []
  const selector: Selector = spreadBy
  const counts = affinityCheck(pod.pod)
  return [
    { topologyKey: hostname, maxSkew: 3, minDomains: 1, selector, counts },
    { topologyKey: zone, maxSkew: 5, minDomains: 1, selector, counts },
  ]
}

/** What one constraint says of a node: matching pods in its domain, weighed by how many domains there are. */
function partOf(
  constraint: SpreadConstraint,
  counted: readonly NodeView[],
  isCounted: (node: NodeView) => boolean,
  { nodes, pod }: Observed,
): (node: NodeView) => number {
  const { topologyKey, maxSkew, selector } = constraint
  const matching = matchingPods(nodes.placed.kinds, pod.namespace, selector)
  const domains = new Map<string, number>()
  if (topologyKey !== hostname) {
    for (const { labels } of counted) domains.set(labels[topologyKey] ?? "", 0)
    for (const [node, count] of matching) {
      const domain = node.labels[topologyKey] ?? ""
      const before = domains.get(domain)
      if (before !== undefined && isCounted(node) && constraint.counts(node)) domains.set(domain, before + count)
    }
  }
  const weight = Math.log((topologyKey === hostname ? counted.length : domains.size) + 2)
  return (node) => {
    const domain = node.labels[topologyKey]
    if (domain === undefined) return 0
    const count = topologyKey === hostname ? (matching.get(node) ?? 0) : (domains.get(domain) ?? 0)
    return count * weight + maxSkew - 1
  }
}

function fewestFirst(raw: readonly (number | undefined)[]): readonly number[] {
  let min = Number.POSITIVE_INFINITY
  let max = 0
  for (const score of raw) {
    if (score === undefined) continue
    if (score < min) min = score
    if (score > max) max = score
  }
  return raw.map((score) => {
    if (score === undefined) return 0
    return max === 0 ? maxNodeScore : Math.trunc((maxNodeScore * (max + min - score)) / max)
  })
}
