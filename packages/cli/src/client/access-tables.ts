import type { UserInfo } from "@pilothouse/api/authentication/v1"
import type { NonResourceRule, ResourceRule } from "@pilothouse/api/authorization/v1"
import { aligned } from "./table.ts"

interface Right {
  readonly resource: string
  readonly group: string
  readonly name: string | undefined
  readonly path: string | undefined
  readonly verbs: Set<string>
}

/** Prints rights as `kubectl auth can-i --list`: one line for each resource and name, with all verbs; one for each path and verb. */
export function accessTable(
  resourceRules: readonly ResourceRule[],
  pathRules: readonly NonResourceRule[],
  { headers }: { readonly headers: boolean },
): string {
  const rights = new Map<string, Right>()
  for (const { apiGroups = [], resources = [], resourceNames = [], verbs } of resourceRules) {
    for (const group of apiGroups)
      for (const resource of resources)
        for (const name of resourceNames.length > 0 ? resourceNames : [undefined])
          add(rights, { resource, group, name, path: undefined }, verbs)
  }
  // kubectl joins the verbs of a resource, and not those of a path.
  let at = 0
  for (const { nonResourceURLs = [], verbs } of pathRules)
    for (const path of nonResourceURLs)
      for (const verb of verbs) add(rights, { resource: "", group: "", name: undefined, path }, [verb], `${at++}`)
  const lines = [...rights.values()]
    .sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1))
    .map(({ resource, group, name, path, verbs }) => [named(resource, group), list(path), list(name), `[${[...verbs].join(" ")}]`])
  return aligned(headers ? [["Resources", "Non-Resource URLs", "Resource Names", "Verbs"], ...lines] : lines)
}

function add(rights: Map<string, Right>, right: Omit<Right, "verbs">, verbs: readonly string[], more = ""): void {
  const key = [right.group, right.resource, right.name ?? "/", right.path ?? "", more].join("\n")
  const known = rights.get(key) ?? { ...right, verbs: new Set() }
  for (const verb of verbs) known.verbs.add(verb)
  rights.set(key, known)
}

/** The order of kubectl: by how Go prints a rule, verbs first. */
function sortKey({ verbs, group, resource, name, path }: Right): string {
  const groups = path === undefined ? `[${group}]` : "[]"
  return `Verbs:[${[...verbs].join(" ")}],APIGroups:${groups},Resources:[${resource}],ResourceNames:${list(name)},NonResourceURLs:${list(path)},`
}

function list(text: string | undefined): string {
  return `[${text ?? ""}]`
}

/** `deployments.apps/scale`. */
function named(resource: string, group: string): string {
  const [plural = "", subresource] = resource.split(/\/(.*)/s)
  return `${plural}${group === "" ? "" : `.${group}`}${subresource === undefined ? "" : `/${subresource}`}`
}

/** Prints a user as `kubectl auth whoami`. */
export function userTable({ username = "", uid = "", groups = [], extra = {} }: UserInfo): string {
  const values = (all: readonly string[]) => `[${all.join(" ")}]`
  return aligned([
    ["ATTRIBUTE", "VALUE"],
    ...(username === "" ? [] : [["Username", username]]),
    ...(uid === "" ? [] : [["UID", uid]]),
    ...(groups.length === 0 ? [] : [["Groups", values(groups)]]),
    ...Object.keys(extra)
      .sort()
      .map((key) => [`Extra: ${key}`, values(extra[key] ?? [])]),
  ])
}
