import type { PolicyRule } from "@pilothouse/api/rbac/v1"
import { type Attributes, isResource, type ResourceAttributes } from "../authorizer.ts"

/** Reports whether one rule of a role allows a request. */
export function ruleAllows(rule: PolicyRule, what: Attributes): boolean {
  if (!hasOrAll(rule.verbs, what.verb)) return false
  if (!isResource(what)) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, what.path))
  return hasOrAll(rule.apiGroups, what.group) && resourceMatches(rule.resources, what) && nameMatches(rule.resourceNames, what.name)
}

/** Rules of one list up to which looking through all of them is the fastest. */
const fewRules = 32

/** Finds in the rules of roles one that allows a request. A long list is indexed when it is first met: every request of its users meets it again. */
export class RuleLists {
  readonly #indexes = new WeakMap<readonly PolicyRule[], RuleIndex>()

  /** Reports whether one of the rules allows a request. */
  allow(rules: readonly PolicyRule[], what: Attributes): boolean {
    if (rules.length <= fewRules) return rules.some((rule) => ruleAllows(rule, what))
    let index = this.#indexes.get(rules)
    if (index === undefined) this.#indexes.set(rules, (index = new RuleIndex(rules)))
    return index.rulesFor(what).some((rule) => ruleAllows(rule, what))
  }
}

/** The rules of a list by the resources that they name. Invariant: a rule that is not among `rulesFor` a request does not allow it. */
class RuleIndex {
  readonly #byResource = new Map<string, PolicyRule[]>()
  readonly #forPaths: readonly PolicyRule[]

  constructor(rules: readonly PolicyRule[]) {
    this.#forPaths = rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
    for (const rule of rules) {
      for (const resource of new Set(rule.resources)) {
        const known = this.#byResource.get(resource)
        if (known === undefined) this.#byResource.set(resource, [rule])
        else known.push(rule)
      }
    }
  }

  rulesFor(what: Attributes): readonly PolicyRule[] {
    if (!isResource(what)) return this.#forPaths
    const { resource, subresource } = what
    const names = subresource === "" ? ["*", resource] : ["*", `${resource}/${subresource}`, `*/${subresource}`]
    return names.flatMap((name) => this.#byResource.get(name) ?? [])
  }
}

/** Reports whether the URL of a rule stands for a path: "/healthz" for itself, "/healthz/*" for all behind it. */
export function urlMatches(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(withoutStars(url)))
}

function withoutStars(url: string): string {
  let end = url.length
  while (end > 0 && url[end - 1] === "*") end--
  return url.slice(0, end)
}

function hasOrAll(values: readonly string[] | undefined, value: string): boolean {
  return values !== undefined && (values.includes(value) || values.includes("*"))
}

// "pods/log" is that subresource, "*/scale" the scale of every resource; "pods/*" stands for nothing.
function resourceMatches(resources: readonly string[] | undefined, { resource, subresource }: ResourceAttributes): boolean {
  if (subresource === "") return hasOrAll(resources, resource)
  return hasOrAll(resources, `${resource}/${subresource}`) || resources?.includes(`*/${subresource}`) === true
}

/** A request of a collection has no name, so a rule with names allows none. */
function nameMatches(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.length === 0 || names.includes(name)
}
