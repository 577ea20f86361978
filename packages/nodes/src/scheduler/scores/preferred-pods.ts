import { type AffinityTerm, matchesTerm } from "../affinity-terms.ts"
import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../observe.ts"
import type { PodKind } from "../pod-kinds.ts"
import { highestScore } from "./normalise.ts"
import type { Score } from "./score.ts"

/** Weights by topology key and value. */
type Weights = Map<string, Map<string, number>>

/** What a pod that requires this one near weighs, as upstream has it. */
const requiredWeight = 1

/** Near the pods that this one likes and that like it, far from the others. */
export const preferredPods: Score = (observed, fitting) => {
  const weights: Weights = new Map()
  const { preferred, preferredAnti } = observed.pod.terms
  if (preferred.length > 0 || preferredAnti.length > 0)
    for (const kind of observed.nodes.placed.kinds.all()) weighOwn(kind, observed, weights)
  for (const kind of observed.nodes.placed.kinds.withTerms()) weighTheirs(kind, observed, weights)
  if (weights.size === 0) return undefined
  const sums = fitting.map((node) => sumOf(node, weights))
  const [least, most] = sums.reduce(([low, high], sum) => [Math.min(low, sum), Math.max(high, sum)], [Infinity, -Infinity])
  // The share first, as upstream does it: 29 of 100 is 28.999…, and so 28.
  return sums.map((sum) => (most === least ? 0 : Math.trunc(highestScore * ((sum - least) / (most - least)))))
}

function weighOwn(kind: PodKind, { pod, namespaces }: Observed, weights: Weights): void {
  const speaksOf = (term: AffinityTerm) => matchesTerm(term, kind.namespace, kind.labels, namespaces.get(kind.namespace))
  for (const term of pod.terms.preferred) if (speaksOf(term)) add(weights, term.topologyKey, kind, term.weight)
  for (const term of pod.terms.preferredAnti) if (speaksOf(term)) add(weights, term.topologyKey, kind, -term.weight)
}

function weighTheirs(kind: PodKind, { pod, namespaces }: Observed, weights: Weights): void {
  const speaksOf = (term: AffinityTerm) => matchesTerm(term, pod.namespace, pod.labels, namespaces.get(pod.namespace))
  for (const term of kind.terms.required) if (speaksOf(term)) add(weights, term.topologyKey, kind, requiredWeight)
  for (const term of kind.terms.preferred) if (speaksOf(term)) add(weights, term.topologyKey, kind, term.weight)
  for (const term of kind.terms.preferredAnti) if (speaksOf(term)) add(weights, term.topologyKey, kind, -term.weight)
}

function add(weights: Weights, key: string, { counts }: PodKind, weight: number): void {
  for (const [{ labels }, count] of counts) {
    const value = labels[key]
    if (value === undefined) continue
    const values = weights.get(key) ?? new Map<string, number>()
    weights.set(key, values)
    values.set(value, (values.get(value) ?? 0) + weight * count)
  }
}

function sumOf({ labels }: NodeView, weights: Weights): number {
  let sum = 0
  for (const [key, values] of weights) {
    const value = labels[key]
    if (value !== undefined) sum += values.get(value) ?? 0
  }
  return sum
}
