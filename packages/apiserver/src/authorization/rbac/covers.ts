import { quoted } from "@pilothouse/api"
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

/** Joins rules of one group and one resource, with at most one name, that differ by their verbs only. The others stay as they are, in front. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const [others, byResource]: [PolicyRule[], Map<string, PolicyRule>] = [[], new Map()]
  for (const rule of rules) {
    const key = simpleResource(rule)
    const joined = key === undefined ? undefined : byResource.get(key)
    if (key === undefined) others.push(rule)
    else byResource.set(key, joined === undefined ? rule : { ...joined, verbs: [...joined.verbs, ...rule.verbs] })
  }
  return [...others, ...byResource.values()]
}

/** What a simple rule is about; undefined for a rule of several groups, resources, names or of paths. */
function simpleResource({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): string | undefined {
  const simple = apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1 && nonResourceURLs.length === 0
  return simple ? JSON.stringify([apiGroups[0], resources[0], resourceNames]) : undefined
}

/** Returns a rule as upstream's messages show it: `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`. */
export function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const lists = { APIGroups: apiGroups, Resources: resources, NonResourceURLs: nonResourceURLs, ResourceNames: resourceNames, Verbs: verbs }
  const parts = Object.entries(lists).flatMap(([name, list = []]) => (list.length === 0 ? [] : [`${name}:${quotedList(list)}`]))
  return `{${parts.join(", ")}}`
}

/** Returns texts as Go's %q shows a list: `["a" "b"]`. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(" ")}]`
}
