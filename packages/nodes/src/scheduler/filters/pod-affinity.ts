import { type AffinityTerm, matchesTerm } from "../affinity-terms.ts"
import type { NodeView } from "../node-state.ts"
import type { Observed } from "../observe.ts"
import type { PodKind } from "../pod-kinds.ts"
import type { Filter } from "./filter.ts"
import { forGood, forNow } from "./refuse.ts"

const notNear = forGood("node(s) didn't match pod affinity rules")
const tooNear = forNow("node(s) didn't match pod anti-affinity rules")
const notWanted = forNow("node(s) didn't satisfy existing pods anti-affinity rules")

/** Values of a topology key. */
type Domains = Map<string, Set<string>>

export const podAffinity: Filter = (observed) => {
  const { required, requiredAnti } = observed.pod.terms
  const unwanted = unwantedDomains(observed)
  if (required.length === 0 && requiredAnti.length === 0 && unwanted.size === 0) return undefined
  const near = nearDomains(observed)
  const far = farDomains(observed)
  const first = near.size === 0 && required.every((term) => matchesSelf(term, observed))
  return (node) => {
    if (required.length > 0 && !isNear(node, required, near, first)) return notNear
    if (isIn(node, far)) return tooNear
    return isIn(node, unwanted) ? notWanted : undefined
  }
}

/** The first of a series that wants to be together may begin anywhere. */
function isNear({ labels }: NodeView, terms: readonly AffinityTerm[], near: Domains, first: boolean): boolean {
  if (terms.some(({ topologyKey }) => labels[topologyKey] === undefined)) return false
  return first || terms.every(({ topologyKey }) => near.get(topologyKey)?.has(labels[topologyKey] ?? "") === true)
}

function isIn({ labels }: NodeView, domains: Domains): boolean {
  for (const [key, values] of domains) {
    const value = labels[key]
    if (value !== undefined && values.has(value)) return true
  }
  return false
}

/** Where there is a pod that all of the terms speak of. */
function nearDomains(observed: Observed): Domains {
  const { required } = observed.pod.terms
  const found: Domains = new Map()
  if (required.length === 0) return found
  for (const kind of observed.nodes.placed.kinds.all())
    if (required.every((term) => speaksOf(term, kind, observed))) for (const { topologyKey } of required) note(found, topologyKey, kind)
  return found
}

function farDomains(observed: Observed): Domains {
  const { requiredAnti } = observed.pod.terms
  const found: Domains = new Map()
  if (requiredAnti.length === 0) return found
  for (const kind of observed.nodes.placed.kinds.all())
    for (const term of requiredAnti) if (speaksOf(term, kind, observed)) note(found, term.topologyKey, kind)
  return found
}

/** Where pods are that do not want this one near. */
function unwantedDomains(observed: Observed): Domains {
  const found: Domains = new Map()
  for (const kind of observed.nodes.placed.kinds.withTerms())
    for (const term of kind.terms.requiredAnti) if (matchesSelf(term, observed)) note(found, term.topologyKey, kind)
  return found
}

function speaksOf(term: AffinityTerm, { namespace, labels }: PodKind, { namespaces }: Observed): boolean {
  return matchesTerm(term, namespace, labels, namespaces.get(namespace))
}

function matchesSelf(term: AffinityTerm, { pod, namespaces }: Observed): boolean {
  return matchesTerm(term, pod.namespace, pod.labels, namespaces.get(pod.namespace))
}

function note(domains: Domains, key: string, { counts }: PodKind): void {
  for (const { labels } of counts.keys()) {
    const value = labels[key]
    if (value === undefined) continue
    const known = domains.get(key)
    if (known === undefined) domains.set(key, new Set([value]))
    else known.add(value)
  }
}
