import { checkPathSegmentName, parseFieldSelector, requiredFieldValue } from "@pilothouse/api"
import { queryValue, type TransportRequest } from "@pilothouse/seams"
import type { ApiVerb, RequestInfo } from "../request/request-info.ts"
import { selectorLimit } from "../request/selection.ts"
import type { Attributes } from "./authorizer.ts"

/** Returns what a request does, in the terms of authorization rules. */
export function attributesOf(request: TransportRequest, info: RequestInfo | undefined, verb: ApiVerb | undefined): Attributes {
  if (info?.plural === undefined || verb === undefined) return { verb: request.verb.toLowerCase(), path: decodedPath(request.path) }
  const { group, version, plural, name = "", subresource = "" } = info
  // A Namespace is in itself: a rule of a RoleBinding in it may allow to read it.
  const namespace = info.namespace ?? (plural === "namespaces" ? name : "")
  return { verb, group, version, resource: plural, subresource, namespace, name: name === "" ? selectedName(request, verb) : name }
}

/** A list or watch that selects one object by its name has that name, so that rules with resourceNames can allow it. */
function selectedName({ query }: TransportRequest, verb: ApiVerb): string {
  const text = verb === "list" || verb === "watch" ? (queryValue(query, "fieldSelector") ?? "") : ""
  if (text === "" || text.length > selectorLimit) return ""
  try {
    const name = requiredFieldValue(parseFieldSelector(text), "metadata.name") ?? ""
    return checkPathSegmentName(name).length === 0 ? name : ""
  } catch {
    // A selector that cannot be parsed selects no name; the verb refuses it later.
    return ""
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
