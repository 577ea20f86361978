import { quoted } from "@pilothouse/api"
import type { PolicyRule } from "@pilothouse/api/rbac/v1"
import type { StepGenerator } from "../../request/turns.ts"
import { urlMatches } from "./rule-allows.ts"

/** Single rights of one role: a rule of a few kilobytes has room for millions. */
const maxRights = 100_000
/** How many rules all of them together are compared with. Upstream has no limits here. */
const maxComparisons = 2_000_000

/** A role that grants too much to say whether its writer has it all. */
export class TooManyRights extends Error {}

/**
 * Returns the rights of `servant` that no rule of `owner` covers, split into single ones: a group, a resource, a verb and at most one name each. Split so,
 * a right is covered by one rule or by none: [get pods, list pods] covers "get,list pods".
 */
export function uncovered(owner: readonly PolicyRule[], servant: readonly PolicyRule[]): readonly PolicyRule[] {
  const owned = owner.map(ownedRule)
  return servant.flatMap((rule) => [...singleRights(rule)].filter((right) => !owned.some((one) => covers(one, right))))
}

/** The same in steps, one for each right, of roles that any user may write. Throws TooManyRights. */
export function* uncoveredInSteps(owner: readonly PolicyRule[], servant: readonly PolicyRule[]): StepGenerator<readonly PolicyRule[]> {
  checkCount(servant)
  const owned = owner.map(ownedRule)
  const missing: PolicyRule[] = []
  let left = maxComparisons
  for (const rule of servant) {
    for (const right of singleRights(rule)) {
      const by = owned.findIndex((one) => covers(one, right))
      left -= by < 0 ? owned.length : by + 1
      if (left < 0) throw new TooManyRights(`expected a role that can be compared with rules in ${maxComparisons} steps, found more`)
      if (by < 0) missing.push(right)
      yield undefined
    }
  }
  return missing
}

function checkCount(servant: readonly PolicyRule[]): void {
  let count = 0
  for (const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of servant)
    count += verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length)
  if (count > maxRights) throw new TooManyRights(`expected a role of at most ${maxRights} single rights, found ${count}`)
}

function* singleRights({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Generator<PolicyRule> {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames
  for (const group of apiGroups)
    for (const resource of resources) for (const verb of verbs) for (const name of names) yield resourceRight(verb, group, resource, name)
  for (const url of nonResourceURLs) for (const verb of verbs) yield { nonResourceURLs: [url], verbs: [verb] }
}

function resourceRight(verb: string, group: string, resource: string, name: string | undefined): PolicyRule {
  return { apiGroups: [group], resources: [resource], verbs: [verb], ...(name !== undefined && { resourceNames: [name] }) }
}

/** A rule in which texts are found at once. */
interface OwnedRule {
  readonly verbs: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly resources: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  /** Those that end with a star are looked through; the others are found. */
  readonly urls: ReadonlySet<string>
  readonly prefixes: readonly string[]
}

function ownedRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs = [] }: PolicyRule): OwnedRule {
  return {
    verbs: new Set(verbs),
    groups: new Set(apiGroups),
    resources: new Set(resources),
    names: new Set(resourceNames),
    urls: new Set(nonResourceURLs),
    prefixes: nonResourceURLs.filter((url) => url.endsWith("*")),
  }
}

/** Whether a rule covers a single right. A wildcard is covered by a wildcard only. */
function covers(rule: OwnedRule, { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): boolean {
  return (
    coversAll(rule.verbs, verbs) &&
    coversAll(rule.groups, apiGroups) &&
    resources.every((resource) => coversResource(rule.resources, resource)) &&
    (rule.names.size === 0 || (resourceNames.length > 0 && hasAll(rule.names, resourceNames))) &&
    nonResourceURLs.every((url) => rule.urls.has(url) || rule.prefixes.some((own) => urlMatches(own, url)))
  )
}

function coversResource(owned: ReadonlySet<string>, resource: string): boolean {
  if (owned.has(resource) || owned.has("*")) return true
  const slash = resource.indexOf("/")
  return slash >= 0 && owned.has(`*${resource.slice(slash)}`)
}

function coversAll(owned: ReadonlySet<string>, wanted: readonly string[]): boolean {
  return owned.has("*") || hasAll(owned, wanted)
}

function hasAll(owned: ReadonlySet<string>, wanted: readonly string[]): boolean {
  return wanted.every((one) => owned.has(one))
}

/** Joins rules of one group and one resource, with at most one name, that differ by their verbs only. The others stay as they are, in front. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const [others, byResource]: [PolicyRule[], Map<string, PolicyRule & { readonly verbs: string[] }>] = [[], new Map()]
  for (const rule of rules) {
    const key = simpleResource(rule)
    const joined = key === undefined ? undefined : byResource.get(key)
    if (key === undefined) others.push(rule)
    else if (joined === undefined) byResource.set(key, { ...rule, verbs: [...rule.verbs] })
    else joined.verbs.push(...rule.verbs)
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
