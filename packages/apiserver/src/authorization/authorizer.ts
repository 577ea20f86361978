import type { FieldRequirement, LabelRequirement } from "@pilothouse/api"
import type { Identity } from "../authentication/identity.ts"

export type { Identity } from "../authentication/identity.ts"

/** A request of a resource, in the terms of authorization rules. "" stands for everything that the request does not name. */
export interface ResourceAttributes {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  /** "": cluster-scoped, or all namespaces. */
  readonly namespace: string
  readonly name: string
  /** Of a list, watch or deletecollection that selects some of its objects. Read by the authorizers that decide by it; RBAC ignores it. */
  readonly selectors?: Selectors
}

/** What a request selects. A selector that cannot be parsed has no requirements: the verb refuses it later. */
export interface Selectors {
  readonly fields: readonly FieldRequirement[]
  readonly labels: readonly LabelRequirement[]
}

/** A request of a path that belongs to no resource: "/metrics". */
export interface PathAttributes {
  readonly verb: string
  readonly path: string
}

/** The attributes of a request that authorizers decide by. */
export type Attributes = ResourceAttributes | PathAttributes

/** The answer of an authorizer. Neither allowed nor denied: it has no opinion, and the next authorizer decides. */
export interface Decision {
  readonly allowed: boolean
  /** No authorizer behind this one may allow the request. */
  readonly denied?: boolean
  readonly reason?: string
  /** What went wrong while it was made: a webhook that did not answer. A request that is not allowed is then answered with 500. */
  readonly error?: string
}

/** The rights of a user in a namespace, in the terms of a SelfSubjectRulesReview. */
export interface Rules {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly { readonly verbs: readonly string[]; readonly nonResourceURLs: readonly string[] }[]
  /** There may be rights that the lists do not name. */
  readonly incomplete: boolean
  readonly evaluationError?: string
}

interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
}

/**
 * Decides which user may do what. It is called before every request and by the reviews. An authorizer that answers from memory returns a value, so
 * that a request does not wait; one that calls another server returns a promise.
 */
export interface Authorizer {
  authorize(who: Identity, what: Attributes): Decision | Promise<Decision>
  /** Returns the rights of a user in a namespace as far as they can be listed. */
  rules(who: Identity, namespace: string): Rules | Promise<Rules>
}

/** The decision of an authorizer that leaves the request to the next one. */
export const noOpinion: Decision = { allowed: false }

/** The rights of a user of whom an authorizer knows none. */
export const noRules: Rules = { resourceRules: [], nonResourceRules: [], incomplete: false }

/** Reports whether a request is of a resource, not of a path. */
export function isResource(what: Attributes): what is ResourceAttributes {
  return "resource" in what
}

/** Joins errors as upstream's aggregate does: one stands alone, several different ones in brackets. */
export function aggregate(errors: readonly string[]): string {
  const different = [...new Set(errors)]
  return different.length === 1 ? different[0]! : `[${different.join(", ")}]`
}
