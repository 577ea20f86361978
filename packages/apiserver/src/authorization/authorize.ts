import { forbidden, internalError, quoted, type StatusError } from "@pilothouse/api"
import type { Identity } from "../authentication/identity.ts"
import { type Attributes, type Authorizer, type Decision, isResource } from "./authorizer.ts"

/** Returns when a request may pass, or throws the refusal. Without a promise where the authorizer returns none. */
export function authorize(authorizer: Authorizer, who: Identity, what: Attributes): void | Promise<void> {
  const decision = authorizer.authorize(who, what)
  if (decision instanceof Promise) return decision.then((made) => check(who, what, made))
  check(who, what, decision)
}

function check(who: Identity, what: Attributes, decision: Decision): void {
  if (decision.allowed) return
  throw decision.error === undefined ? refusal(who, what, decision) : internalError(decision.error)
}

/** Returns a 403 in upstream's words: `pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "default"`. */
export function refusal({ name: user }: Identity, what: Attributes, { reason = "" }: Decision): StatusError {
  const why = reason === "" ? "" : `: ${reason}`
  const who = `User ${quoted(user)} cannot ${what.verb}`
  if (!isResource(what)) return forbidden(undefined, "", `${withoutHtml(`${who} path ${quoted(what.path)}`)}${why}`)
  const { group, resource, subresource, namespace, name } = what
  const plural = subresource === "" ? resource : `${resource}/${subresource}`
  const place = namespace === "" ? "at the cluster scope" : `in the namespace ${quoted(namespace)}`
  const text = `${who} resource ${quoted(plural)} in API group ${quoted(group)} ${place}`
  return forbidden({ group, plural: resource }, name, `${withoutHtml(text)}${why}`)
}

/** A browser that shows the answer finds no markup in it. */
function withoutHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
