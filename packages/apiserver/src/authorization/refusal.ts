import { forbidden, type StatusError } from "@pilothouse/api"
import type { Identity } from "../identity.ts"
import { type Attributes, type Decision, isResource } from "./authorizer.ts"

/** In upstream's words: `pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "default"`. */
export function refusal({ name: user }: Identity, what: Attributes, { reason = "" }: Decision): StatusError {
  const why = reason === "" ? "" : `: ${reason}`
  const who = `User ${JSON.stringify(user)} cannot ${what.verb}`
  if (!isResource(what)) return forbidden(undefined, "", `${who} path ${JSON.stringify(what.path)}${why}`)
  const { group, resource, subresource, namespace, name } = what
  const plural = subresource === "" ? resource : `${resource}/${subresource}`
  const place = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`
  const text = `${who} resource ${JSON.stringify(plural)} in API group ${JSON.stringify(group)} ${place}${why}`
  return forbidden({ group, plural: resource }, name, text)
}
