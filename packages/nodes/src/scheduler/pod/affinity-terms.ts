import { everything, type LabelRequirement, matchesLabels, type Selector } from "@pilothouse/api"
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from "@pilothouse/api/core/v1"
import { readableSelector } from "./readable-selector.ts"

type Labels = Readonly<Record<string, string>>

/** The pods with which a pod has affinity or anti-affinity; read once. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>
  /** Namespaces by their labels, beside those by name. */
  readonly namespaceSelector: Selector
  readonly selector: Selector
  readonly topologyKey: string
  /** 0 where it is required. */
  readonly weight: number
}

/** The pod affinity of a pod, parsed. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[]
  readonly requiredAnti: readonly AffinityTerm[]
  readonly preferred: readonly AffinityTerm[]
  readonly preferredAnti: readonly AffinityTerm[]
}

/** The terms of a pod without pod affinity. */
export const noTerms: AffinityTerms = { required: [], requiredAnti: [], preferred: [], preferredAnti: [] }

/**
 * Pod affinity terms and spread constraints that a pod may have in all. Each is matched with every other pod, and theirs with this one: 3,000 terms and
 * 5,000 pods are 15 million selectors for one decision.
 */
const maxTerms = 100

/** Returns why a pod with too many terms is not scheduled; undefined for any other pod. */
export function excessTerms({ spec }: Pod): string | undefined {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {}
  const lists = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    affinity?.requiredDuringSchedulingIgnoredDuringExecution,
    affinity?.preferredDuringSchedulingIgnoredDuringExecution,
  ])
  const count = [...lists, spec?.topologySpreadConstraints].reduce((sum, list) => sum + (list?.length ?? 0), 0)
  if (count <= maxTerms) return undefined
  return `expected at most ${maxTerms} pod affinity terms and topology spread constraints, found ${count}`
}

/** Returns required and preferred terms together. */
export function allTerms({ required, requiredAnti, preferred, preferredAnti }: AffinityTerms): readonly AffinityTerm[] {
  return [...required, ...requiredAnti, ...preferred, ...preferredAnti]
}

/** Parses the pod affinity of a pod. */
export function affinityTermsOf(pod: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {}
  if (podAffinity === undefined && podAntiAffinity === undefined) return noTerms
  const required = (terms: readonly PodAffinityTerm[] = []) => terms.map((term) => termOf(term, pod, 0))
  const preferred = (terms: readonly WeightedPodAffinityTerm[] = []) =>
    terms.map(({ podAffinityTerm, weight }) => termOf(podAffinityTerm, pod, weight))
  return {
    required: required(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAnti: required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: preferred(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: preferred(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  }
}

function termOf(term: PodAffinityTerm, { metadata }: Pod, weight: number): AffinityTerm {
  const { namespaces = [], namespaceSelector, topologyKey, matchLabelKeys, mismatchLabelKeys } = term
  const own = namespaces.length === 0 && namespaceSelector === undefined ? [metadata.namespace ?? ""] : namespaces
  const requirements = [
    ...requirementsOf(matchLabelKeys, metadata.labels, "in"),
    ...requirementsOf(mismatchLabelKeys, metadata.labels, "notin"),
  ]
  return {
    namespaces: new Set(own),
    namespaceSelector: readableSelector(namespaceSelector),
    selector: withRequirements(readableSelector(term.labelSelector), requirements),
    topologyKey,
    weight,
  }
}

/** Returns the requirements that matchLabelKeys stands for: the pod's own values of these labels. Keys that the pod lacks are ignored. */
export function requirementsOf(
  keys: readonly string[] | undefined,
  labels: Labels | undefined,
  operator: "in" | "notin",
): readonly LabelRequirement[] {
  return (keys ?? []).flatMap((key) => {
    const value = labels?.[key]
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  })
}

/** Returns the selector with further requirements; one that matches nothing stays so. */
export function withRequirements(selector: Selector, added: readonly LabelRequirement[]): Selector {
  if (added.length === 0 || selector.nothing) return selector
  return { ...everything, requirements: [...selector.requirements, ...added] }
}

/** Reports whether the term speaks of pods with these labels in this namespace. */
export function matchesTerm(term: AffinityTerm, namespace: string, labels: Labels, namespaceLabels: Labels | undefined): boolean {
  if (!matchesLabels(term.selector, labels)) return false
  return term.namespaces.has(namespace) || matchesLabels(term.namespaceSelector, namespaceLabels)
}
