import { deepEqual, type FieldError, fieldError } from "@pilothouse/api"
import type { NodeSelectorRequirement, VolumeNodeAffinity } from "@pilothouse/api/core/v1"

/** Labels that have got a better name since. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", "kubernetes.io/arch"],
  ["beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"],
  ["beta.kubernetes.io/os", "kubernetes.io/os"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
])

/** Validates an update of nodeAffinity, which is immutable once set; only the names of labels may become newer. */
export function volumeAffinityErrors(now: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity | undefined): readonly FieldError[] {
  if (old === undefined || deepEqual(withNewNames(now, old), withNewNames(old, old))) return []
  const text = "field is immutable, except for updating from beta label to GA"
  return [fieldError.invalid("nodeAffinity", now === undefined ? null : inGo(now), text)]
}

/** Those names that the old one has: nothing becomes old again. */
function withNewNames(affinity: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity): unknown {
  const before = new Set(requirementsOf(old).map(({ key }) => key))
  return affinity?.required?.nodeSelectorTerms?.map(({ matchExpressions = [], matchFields = [] }) => ({
    matchExpressions: matchExpressions.map((one) => ({ ...one, key: before.has(one.key) ? (renamed.get(one.key) ?? one.key) : one.key })),
    matchFields,
  }))
}

function requirementsOf({ required }: VolumeNodeAffinity): readonly NodeSelectorRequirement[] {
  return required?.nodeSelectorTerms?.flatMap(({ matchExpressions = [] }) => matchExpressions) ?? []
}

/** As Go prints it, which is how a refusal shows it. */
function inGo({ required }: VolumeNodeAffinity): object {
  const list = (rules: readonly NodeSelectorRequirement[] | undefined) =>
    rules === undefined ? null : rules.map(({ key, operator, values }) => ({ Key: key, Operator: operator, Values: values ?? null }))
  const terms = required?.nodeSelectorTerms?.map(({ matchExpressions, matchFields }) => ({
    MatchExpressions: list(matchExpressions),
    MatchFields: list(matchFields),
  }))
  return { Required: required === undefined ? null : { NodeSelectorTerms: terms ?? null } }
}
