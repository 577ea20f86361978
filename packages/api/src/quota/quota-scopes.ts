import type { PersistentVolumeClaim, Pod, ResourceQuota, ScopedResourceSelectorRequirement } from "../generated/core/v1.types.ts"
import type { KubeObject } from "../meta/object.ts"
import { podQosClass } from "../pods/pod-qos.ts"
import type { CountedKind } from "./quota-usage.ts"

/**
 * Reports whether a quota is about an object: all its scopes must match. Only pods and claims have any; for everything else a scope never matches.
 */
export function isInQuotaScopes({ spec }: Pick<ResourceQuota, "spec">, kind: CountedKind, object: KubeObject): boolean {
  const plain = (spec?.scopes ?? []).map((scopeName): ScopedResourceSelectorRequirement => ({ scopeName, operator: "Exists" }))
  const all = [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])]
  return all.every((scope) => matchesScope(scope, kind, object))
}

function matchesScope(scope: ScopedResourceSelectorRequirement, { group, plural }: CountedKind, object: KubeObject): boolean {
  if (group !== "") return false
  if (plural === "pods") return podMatches(scope, object as Pod)
  if (plural !== "persistentvolumeclaims" || scope.scopeName !== "VolumeAttributesClass") return false
  return namesMatch(scope, attributesClasses(object as PersistentVolumeClaim))
}

function podMatches(scope: ScopedResourceSelectorRequirement, pod: Pod): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return hasDeadline(pod)
    case "NotTerminating":
      return !hasDeadline(pod)
    case "BestEffort":
      return podQosClass(pod) === "BestEffort"
    case "NotBestEffort":
      return podQosClass(pod) !== "BestEffort"
    case "PriorityClass":
      return namesMatch(scope, named([pod.spec?.priorityClassName]))
    case "CrossNamespacePodAffinity":
      return crossesNamespaces(pod)
    default:
      return false
  }
}

/** Reports whether a pod is in the scope Terminating; the others are in NotTerminating. */
export function hasDeadline({ spec }: Pick<Pod, "spec">): boolean {
  return (spec?.activeDeadlineSeconds ?? -1) >= 0
}

/** As a label selector takes it: a pod without a class is in no list, and so outside of every list. */
function namesMatch({ operator, values = [] }: ScopedResourceSelectorRequirement, names: readonly string[]): boolean {
  switch (operator) {
    case "In":
      return names.some((name) => values.includes(name))
    case "NotIn":
      return names.length === 0 || names.some((name) => !values.includes(name))
    case "DoesNotExist":
      return names.length === 0
    default:
      return names.length > 0
  }
}

/** The class a claim has, the one it asks for, and the one it is on the way to. */
function attributesClasses({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const target = status?.modifyVolumeStatus?.targetVolumeAttributesClassName
  return named([spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, target])
}

function named(names: readonly (string | undefined)[]): readonly string[] {
  return names.filter((name): name is string => name !== undefined && name !== "")
}

function crossesNamespaces({ spec }: Pod): boolean {
  const kinds = [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity]
  const terms = kinds.flatMap((kind) => [
    ...(kind?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(kind?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
  return terms.some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined)
}
