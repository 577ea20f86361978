import { type KubeObject, podQosClass } from "@pilothouse/api"
import type { Pod, ResourceQuota } from "@pilothouse/api/core/v1"

type Expression = NonNullable<NonNullable<NonNullable<ResourceQuota["spec"]>["scopeSelector"]>["matchExpressions"]>[number]

/** Whether a quota is about an object. One with scopes is about pods alone. */
export function isInScopes({ spec }: ResourceQuota, plural: string, object: KubeObject): boolean {
  const scopes = (spec?.scopes ?? []).map(
    (scopeName): Expression => ({ scopeName: scopeName as Expression["scopeName"], operator: "Exists" }),
  )
  const all = [...scopes, ...(spec?.scopeSelector?.matchExpressions ?? [])]
  return all.length === 0 || (plural === "pods" && all.every((expression) => matches(expression, object as Pod)))
}

function matches(expression: Expression, pod: Pod): boolean {
  const { spec } = pod
  switch (expression.scopeName as string) {
    case "Terminating":
      return (spec?.activeDeadlineSeconds ?? -1) >= 0
    case "NotTerminating":
      return (spec?.activeDeadlineSeconds ?? -1) < 0
    case "BestEffort":
      return podQosClass(pod) === "BestEffort"
    case "NotBestEffort":
      return podQosClass(pod) !== "BestEffort"
    case "PriorityClass":
      return matchesClass(expression, spec?.priorityClassName ?? "")
    case "CrossNamespacePodAffinity":
      return crossesNamespaces(pod)
    default:
      return false
  }
}

function matchesClass({ operator, values = [] }: Expression, name: string): boolean {
  switch (operator) {
    case "In":
      return values.includes(name)
    case "NotIn":
      return !values.includes(name)
    case "DoesNotExist":
      return name === ""
    default:
      return name !== ""
  }
}

function crossesNamespaces({ spec }: Pod): boolean {
  const kinds = [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity]
  const terms = kinds.flatMap((kind) => [
    ...(kind?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(kind?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
  return terms.some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined)
}
