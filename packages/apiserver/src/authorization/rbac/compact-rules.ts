import { quoted } from "@pilothouse/api"
import type { PolicyRule } from "@pilothouse/api/rbac/v1"

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
