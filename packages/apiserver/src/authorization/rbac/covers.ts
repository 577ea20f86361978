import type { PolicyRule } from "@pilothouse/api/rbac/v1"
import { urlMatches } from "./rule-allows.ts"

/**
 * Returns the rights of `servant` that no rule of `owner` covers, split into single ones: a group, a resource, a verb and at most one name each. Split so,
 * a right is covered by one rule or by none: [get pods, list pods] covers "get,list pods".
 */
export function uncovered(owner: readonly PolicyRule[], servant: readonly PolicyRule[]): readonly PolicyRule[] {
  return servant.flatMap(singleRights).filter((right) => !owner.some((rule) => covers(rule, right)))
}

function singleRights({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): readonly PolicyRule[] {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.flatMap((verb) => names.map((name) => resourceRight(verb, group, resource, name)))),
    ),
    ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] }))),
  ]
}

function resourceRight(verb: string, group: string, resource: string, name: string | undefined): PolicyRule {
  return { apiGroups: [group], resources: [resource], verbs: [verb], ...(name !== undefined && { resourceNames: [name] }) }
}

/** Whether a rule covers a single right. A wildcard is covered by a wildcard only. */
function covers(
  rule: PolicyRule,
  { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule,
): boolean {
  const names = rule.resourceNames ?? []
  return (
    coversAll(rule.verbs, verbs) &&
    coversAll(rule.apiGroups ?? [], apiGroups) &&
    resources.every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (names.length === 0 || (resourceNames.length > 0 && hasAll(names, resourceNames))) &&
    nonResourceURLs.every((url) => rule.nonResourceURLs?.some((own) => urlMatches(own, url)) === true)
  )
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (owned.includes(resource) || owned.includes("*")) return true
  const slash = resource.indexOf("/")
  return slash >= 0 && owned.includes(`*${resource.slice(slash)}`)
}

function coversAll(owned: readonly string[], wanted: readonly string[]): boolean {
  return owned.includes("*") || hasAll(owned, wanted)
}

function hasAll(owned: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((one) => owned.includes(one))
}
