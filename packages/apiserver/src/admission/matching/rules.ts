import type { RuleWithOperations } from "@pilothouse/api/admissionregistration/v1"

/** A rule of a webhook, or of a policy, which may name objects too. */
export type MatchRule = RuleWithOperations & { readonly resourceNames?: readonly string[] }

/** What rules decide on. */
export interface RuleTarget {
  readonly operation: string
  readonly group: string
  readonly version: string
  readonly plural: string
  /** "" for the object itself. */
  readonly subresource: string
  /** Whether the object stands in a namespace. A Namespace does not. */
  readonly isNamespaced: boolean
  /** "" where the server makes it. */
  readonly name: string
}

/** Whether a rule is about a request: every one of its lists has to match. */
export function ruleMatches(rule: MatchRule, target: RuleTarget): boolean {
  return (
    matchesScope(rule.scope, target.isNamespaced) &&
    hasOrAll(rule.operations, target.operation) &&
    hasOrAll(rule.apiGroups, target.group) &&
    hasOrAll(rule.apiVersions, target.version) &&
    (rule.resources ?? []).some((resource) => matchesResource(resource, target)) &&
    matchesName(rule.resourceNames, target.name)
  )
}

function matchesScope(scope: string | undefined, isNamespaced: boolean): boolean {
  if (scope === undefined || scope === "*") return true
  return scope === (isNamespaced ? "Namespaced" : "Cluster")
}

function hasOrAll(listed: readonly string[] | undefined, word: string): boolean {
  return listed?.some((one) => one === "*" || one === word) === true
}

/** "pods", "pods/status", "pods/*", "*\/scale", "*", "*\/*": without a slash, subresources are left out. */
function matchesResource(listed: string, { plural, subresource }: RuleTarget): boolean {
  const slash = listed.indexOf("/")
  const [resource, part] = slash === -1 ? [listed, ""] : [listed.slice(0, slash), listed.slice(slash + 1)]
  return (resource === "*" || resource === plural) && (part === "*" || part === subresource)
}

function matchesName(listed: readonly string[] | undefined, name: string): boolean {
  return listed === undefined || listed.length === 0 || listed.includes(name)
}
