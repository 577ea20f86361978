import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import type { PodKind } from "../cache/pod-kinds.ts"
import { type AffinityTerm, matchesTerm } from "../pod/affinity-terms.ts"
import { candidateTerms } from "../pod/term-index.ts"
import { maxNodeScore } from "./normalize-scores.ts"
import type { Score } from "./score.ts"

/** Weights by topology key and value. */
type Weights = Map<string, Map<string, number>>

/** What a pod that requires this one near weighs, as upstream has it. */
const requiredWeight = 1

/** The score of InterPodAffinity: near the pods that this one likes and that like it, far from the others. */
export const preferredPods: Score = (observed, fitting) => {
  const weights: Weights = new Map()
  const { preferred, preferredAnti } = observed.pod.terms
  if (preferred.length > 0 || preferredAnti.length > 0)
    for (const kind of observed.nodes.placed.kinds.all()) weighOwn(kind, observed, weights)
  for (const kind of observed.nodes.placed.kinds.withTerms()) weighTheirs(kind, observed, weights)
  if (weights.size === 0) return undefined
  const sums = fitting.map((node) => sumOf(node, weights))
  const [min, max] = sums.reduce(([low, high], sum) => [Math.min(low, sum), Math.max(high, sum)], [Infinity, -Infinity])
  // The share first, as upstream does it: 29 of 100 is 28.999…, and so 28.
  return sums.map((sum) => (max === min ? 0 : Math.trunc(maxNodeScore * ((sum - min) / (max - min)))))
}

function weighOwn(kind: PodKind, { pod, namespaces }: Observed, weights: Weights): void {
  const { preferred, preferredAnti } = pod.terms
  const speaksOf = (term: AffinityTerm) => matchesTerm(term, kind.namespace, kind.labels, namespaces.get(kind.namespace))
  const sums: KeyWeights = new Map()
  for (const term of candidateTerms(preferred, kind.labels)) if (speaksOf(term)) weigh(sums, term, term.weight)
  for (const term of candidateTerms(preferredAnti, kind.labels)) if (speaksOf(term)) weigh(sums, term, -term.weight)
  addAll(weights, sums, kind)
}

function weighTheirs(kind: PodKind, { pod, namespaces }: Observed, weights: Weights): void {
  const { required, preferred, preferredAnti } = kind.terms
  const speaksOf = (term: AffinityTerm) => matchesTerm(term, pod.namespace, pod.labels, namespaces.get(pod.namespace))
  const sums: KeyWeights = new Map()
  for (const term of candidateTerms(required, pod.labels)) if (speaksOf(term)) weigh(sums, term, requiredWeight)
  for (const term of candidateTerms(preferred, pod.labels)) if (speaksOf(term)) weigh(sums, term, term.weight)
  for (const term of candidateTerms(preferredAnti, pod.labels)) if (speaksOf(term)) weigh(sums, term, -term.weight)
  addAll(weights, sums, kind)
}

/** By topology key, of one kind of pods: its nodes are gone through once for each key, and not for each term. */
type KeyWeights = Map<string, number>

function weigh(sums: KeyWeights, { topologyKey }: AffinityTerm, weight: number): void {
  sums.set(topologyKey, (sums.get(topologyKey) ?? 0) + weight)
}

function addAll(weights: Weights, sums: KeyWeights, kind: PodKind): void {
  for (const [key, weight] of sums) add(weights, key, kind, weight)
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
