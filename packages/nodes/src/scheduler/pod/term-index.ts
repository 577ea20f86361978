import type { LabelRequirement } from "@pilothouse/api"
import type { AffinityTerm } from "./affinity-terms.ts"

type Labels = Readonly<Record<string, string>>

/**
 * Terms by a label that a pod must have for them to match: 3,000 terms and 300 pods would be 900,000 selectors to match for each decision.
 * Always true: a term that matches labels is among their candidates, once.
 */
interface TermIndex {
  /** By key and value: `a=b`, `a in (b,c)`. */
  readonly byValue: ReadonlyMap<string, ReadonlyMap<string, readonly AffinityTerm[]>>
  /** By key: `a`. */
  readonly byKey: ReadonlyMap<string, readonly AffinityTerm[]>
  /** Those that may match a pod without labels. */
  readonly others: readonly AffinityTerm[]
}

const indexes = new WeakMap<readonly AffinityTerm[], TermIndex>()

/** The terms that may match a pod with these labels; those left out do not. */
export function candidateTerms(terms: readonly AffinityTerm[], labels: Labels): readonly AffinityTerm[] {
  if (terms.length < 2) return terms
  const { byValue, byKey, others } = indexOf(terms)
  const found = [...others]
  for (const [key, value] of Object.entries(labels)) found.push(...(byValue.get(key)?.get(value) ?? []), ...(byKey.get(key) ?? []))
  return found
}

function indexOf(terms: readonly AffinityTerm[]): TermIndex {
  const known = indexes.get(terms)
  if (known !== undefined) return known
  const made = newIndex(terms)
  indexes.set(terms, made)
  return made
}

function newIndex(terms: readonly AffinityTerm[]): TermIndex {
  const [byValue, byKey] = [new Map<string, Map<string, AffinityTerm[]>>(), new Map<string, AffinityTerm[]>()]
  const others: AffinityTerm[] = []
  for (const term of terms) {
    const { requirements, nothing } = term.selector
    if (nothing) continue
    const equal = requirements.find(namesValues)
    const present = requirements.find(needsLabel)
    if (equal !== undefined) for (const value of new Set(equal.values)) listOf(mapOf(byValue, equal.key), value).push(term)
    else if (present !== undefined) listOf(byKey, present.key).push(term)
    else others.push(term)
  }
  return { byValue, byKey, others }
}

function namesValues({ operator }: LabelRequirement): boolean {
  return operator === "=" || operator === "==" || operator === "in"
}

function needsLabel({ operator }: LabelRequirement): boolean {
  return operator === "exists" || operator === "gt" || operator === "lt"
}

function mapOf(maps: Map<string, Map<string, AffinityTerm[]>>, key: string): Map<string, AffinityTerm[]> {
  const map = maps.get(key) ?? new Map<string, AffinityTerm[]>()
  maps.set(key, map)
  return map
}

function listOf(lists: Map<string, AffinityTerm[]>, key: string): AffinityTerm[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}
