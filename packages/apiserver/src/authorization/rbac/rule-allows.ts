import type { PolicyRule } from "@pilothouse/api/rbac/v1"
import { type Attributes, isResource, type ResourceAttributes } from "../authorizer.ts"

/** Reports whether one rule of a role allows a request. */
export function ruleAllows(rule: PolicyRule, what: Attributes): boolean {
  if (!hasOrAll(rule.verbs, what.verb)) return false
  if (!isResource(what)) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, what.path))
  return hasOrAll(rule.apiGroups, what.group) && resourceMatches(rule.resources, what) && nameMatches(rule.resourceNames, what.name)
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
