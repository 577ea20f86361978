import { type AffinityTerms, allTerms } from "../pod/affinity-terms.ts"
import type { PodFacts } from "../pod/pod-facts.ts"
import type { NodeState } from "./node-state.ts"

/** Pods on nodes that no selector and no affinity can tell apart: those of one ReplicaSet, say. */
export interface PodKind {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly isDeleting: boolean
  readonly terms: AffinityTerms
  /** How many of them are on each node. */
  readonly counts: ReadonlyMap<NodeState, number>
}

interface Counted extends PodKind {
  readonly counts: Map<NodeState, number>
}

/**
 * Pods on nodes, folded: a selector is matched against each kind once, and not against ten thousand pods.
 * Invariant between calls: the counts of a kind are those of its pods on each node, and no kind and no count is empty.
 */
export class PodKinds {
  readonly #kinds = new Map<string, Counted>()
  /** Of the kinds, those with terms of their own. */
  readonly #withTerms = new Set<Counted>()

  all(): Iterable<PodKind> {
    return this.#kinds.values()
  }

  withTerms(): Iterable<PodKind> {
    return this.#withTerms
  }

  add(pod: PodFacts, node: NodeState): void {
    const { counts } = this.#kinds.get(pod.kind) ?? this.#make(pod)
    counts.set(node, (counts.get(node) ?? 0) + 1)
  }

  remove({ kind: name }: PodFacts, node: NodeState): void {
    const kind = this.#kinds.get(name)
    if (kind === undefined) return
    const left = (kind.counts.get(node) ?? 0) - 1
    if (left > 0) kind.counts.set(node, left)
    else kind.counts.delete(node)
    if (kind.counts.size > 0) return
    this.#kinds.delete(name)
    this.#withTerms.delete(kind)
  }

  #make({ kind: name, namespace, labels, isDeleting, terms }: PodFacts): Counted {
    const made: Counted = { namespace, labels, isDeleting, terms, counts: new Map() }
    this.#kinds.set(name, made)
    if (allTerms(terms).length > 0) this.#withTerms.add(made)
    return made
  }
}
