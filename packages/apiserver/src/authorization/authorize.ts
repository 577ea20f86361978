import type { TransportRequest } from "@pilothouse/seams"
import type { Identity } from "../identity.ts"
import type { ApiVerb, RequestInfo } from "../request/request-info.ts"
import type { Server } from "../server/server.ts"
import type { Attributes } from "./authorizer.ts"
import { refusal } from "./refusal.ts"

/** Lets a request pass, or throws a Status that says who may not do what. */
export function authorize({ authorizer }: Pick<Server, "authorizer">, who: Identity, what: Attributes): void {
  const decision = authorizer.authorize(who, what)
  if (!decision.allowed) throw refusal(who, what, decision)
}

/** What a request wants to do, in the terms of rules. */
export function attributesOf(request: TransportRequest, info: RequestInfo | undefined, verb: ApiVerb | undefined): Attributes {
  if (info?.plural === undefined || verb === undefined) return { verb: request.verb.toLowerCase(), path: request.path }
  const { group, version, plural, name = "", subresource = "" } = info
  // A namespace is in itself: who may do something in it may be allowed to read it.
  const namespace = info.namespace ?? (group === "" && plural === "namespaces" ? name : "")
  return { verb, group, version, resource: plural, subresource, namespace, name }
}
