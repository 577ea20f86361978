import { checkPathSegmentName, parseFieldSelector, parseLabelSelector, requiredFieldValue } from "@pilothouse/api"
import { lazy, queryValue, type TransportRequest } from "@pilothouse/seams"
import { selectorLimit } from "../request/list-options.ts"
import type { ApiVerb, RequestInfo } from "../request/request-info.ts"
import type { Attributes, Selectors } from "./authorizer.ts"

/** Returns what a request does, in the terms of authorization rules. */
export function attributesOf(request: TransportRequest, info: RequestInfo | undefined, verb: ApiVerb | undefined): Attributes {
  if (info?.plural === undefined || verb === undefined) return { verb: request.verb.toLowerCase(), path: decodedPath(request.path) }
  const { group, version, plural, name = "", subresource = "" } = info
  // A Namespace is in itself: a rule of a RoleBinding in it may allow to read it.
  const namespace = info.namespace ?? (plural === "namespaces" ? name : "")
  const selectors = selecting.has(verb) ? selectorsOf(request) : undefined
  if (selectors === undefined) return { verb, group, version, resource: plural, subresource, namespace, name }
  return { verb, group, version, resource: plural, subresource, namespace, name: name || selectedName(selectors, verb), selectors }
}

const selecting: ReadonlySet<ApiVerb> = new Set(["list", "watch", "deletecollection"])

/** A list or watch that selects one object by its name has that name, so that rules with resourceNames can allow it. */
function selectedName(selectors: Selectors, verb: ApiVerb): string {
  const name = verb === "deletecollection" ? "" : (requiredFieldValue({ requirements: selectors.fields }, "metadata.name") ?? "")
  return checkPathSegmentName(name).length === 0 ? name : ""
}

function selectorsOf({ query }: TransportRequest): Selectors | undefined {
  const [fieldSelector = "", labelSelector = ""] = [queryValue(query, "fieldSelector"), queryValue(query, "labelSelector")]
  return fieldSelector === "" && labelSelector === "" ? undefined : parsedSelectors(fieldSelector, labelSelector)
}

/** Returns selectors that are parsed when they are read, since most authorizers do not. */
export function parsedSelectors(fieldSelector: string, labelSelector: string): Selectors {
  const fields = lazy(() => requirementsIn(fieldSelector, parseFieldSelector))
  const labels = lazy(() => requirementsIn(labelSelector, parseLabelSelector))
  return {
    get fields() {
      return fields()
    },
    get labels() {
      return labels()
    },
  }
}

function requirementsIn<T>(text: string, parse: (text: string) => { readonly requirements: readonly T[] }): readonly T[] {
  if (text.length > selectorLimit) return []
  try {
    return parse(text).requirements
  } catch {
    // A selector that cannot be parsed selects no name; the verb refuses it later.
    return []
  }
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // No rule has such a path but one that ends with "*".
    return path
  }
}
