import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import type { PodKind } from "../cache/pod-kinds.ts"
import { type AffinityTerm, matchesTerm } from "../pod/affinity-terms.ts"
import { candidateTerms } from "../pod/term-index.ts"
import type { Filter } from "./filter.ts"
import { resolvable, unresolvable } from "./refuse.ts"

const notNear = unresolvable("node(s) didn't match pod affinity rules")
const tooNear = resolvable("node(s) didn't match pod anti-affinity rules")
const notWanted = resolvable("node(s) didn't satisfy existing pods anti-affinity rules")

/** Values of a topology key. */
type Domains = Map<string, Set<string>>

/** The filter of InterPodAffinity: refuses nodes that required pod affinity or anti-affinity exclude, of the pod or of pods that are there. */
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

/** The first of a series of pods with affinity to each other may be placed anywhere. */
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
  const { near } = memoryOf(observed)
  for (const kind of observed.nodes.placed.kinds.all()) {
    const keys = once(near, kind, kind.labels, () => (speakOf(required, kind, observed) ? keysOf(required) : []))
    for (const key of keys) note(found, key, kind)
  }
  return found
}

function farDomains(observed: Observed): Domains {
  const { requiredAnti } = observed.pod.terms
  const found: Domains = new Map()
  if (requiredAnti.length === 0) return found
  const { far } = memoryOf(observed)
  for (const kind of observed.nodes.placed.kinds.all()) {
    const keys = once(far, kind, kind.labels, () =>
      keysWhere(candidateTerms(requiredAnti, kind.labels), (term) => speaksOf(term, kind, observed)),
    )
    for (const key of keys) note(found, key, kind)
  }
  return found
}

/** The domains with pods whose anti-affinity excludes this one. */
function unwantedDomains(observed: Observed): Domains {
  const found: Domains = new Map()
  const { unwanted } = memoryOf(observed)
  for (const kind of observed.nodes.placed.kinds.withTerms()) {
    const keys = once(unwanted, kind, kind.terms, () =>
      keysWhere(candidateTerms(kind.terms.requiredAnti, observed.pod.labels), (term) => matchesSelf(term, observed)),
    )
    for (const key of keys) note(found, key, kind)
  }
  return found
}

/** Topology keys by what tells a kind from others: a kind whose last pod leaves in thought and comes back is another object. */
type KeysByKind = Map<PodKind["labels"] | PodKind["terms"], readonly string[]>

/**
 * Which terms match which kinds while one pod is decided about. Preemption asks once for each pod that might leave: with 3,000 terms and 300 pods
 * it would match 900,000 selectors each time.
 */
interface TermMemory {
  readonly near: Map<string, KeysByKind>
  readonly far: Map<string, KeysByKind>
  readonly unwanted: Map<string, KeysByKind>
}

const memories = new WeakMap<Observed, TermMemory>()

function memoryOf(observed: Observed): TermMemory {
  const memory = memories.get(observed) ?? { near: new Map(), far: new Map(), unwanted: new Map() }
  memories.set(observed, memory)
  return memory
}

function once(
  memory: Map<string, KeysByKind>,
  { namespace }: PodKind,
  subject: PodKind["labels"] | PodKind["terms"],
  find: () => readonly string[],
): readonly string[] {
  const inNamespace: KeysByKind = memory.get(namespace) ?? new Map()
  memory.set(namespace, inNamespace)
  const keys = inNamespace.get(subject) ?? find()
  inNamespace.set(subject, keys)
  return keys
}

function keysOf(terms: readonly AffinityTerm[]): readonly string[] {
  return [...new Set(terms.map(({ topologyKey }) => topologyKey))]
}

/** Of the terms that match: a key that is known is not asked for again. */
function keysWhere(terms: readonly AffinityTerm[], matches: (term: AffinityTerm) => boolean): readonly string[] {
  const keys = new Set<string>()
  for (const term of terms) if (!keys.has(term.topologyKey) && matches(term)) keys.add(term.topologyKey)
  return [...keys]
}

/** All of them. */
function speakOf(terms: readonly AffinityTerm[], kind: PodKind, observed: Observed): boolean {
  const candidates = candidateTerms(terms, kind.labels)
  return candidates.length === terms.length && candidates.every((term) => speaksOf(term, kind, observed))
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
