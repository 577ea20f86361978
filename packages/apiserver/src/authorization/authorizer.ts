import type { Identity } from "../identity.ts"

/** What somebody wants to do to a resource. "" is everything there is nothing to say of. */
export interface ResourceAttributes {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  /** "": cluster-scoped, or all namespaces. */
  readonly namespace: string
  readonly name: string
}

/** The same for a path that is no resource's: "/metrics". */
export interface PathAttributes {
  readonly verb: string
  readonly path: string
}

export type Attributes = ResourceAttributes | PathAttributes

export interface Decision {
  readonly allowed: boolean
  /** Refused for good: no other rule may allow it. */
  readonly denied?: boolean
  readonly reason?: string
}

/** In the terms of a SelfSubjectRulesReview. */
export interface Rules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[]
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
  }[]
  readonly nonResourceRules: readonly { readonly verbs: readonly string[]; readonly nonResourceURLs: readonly string[] }[]
  readonly incomplete: boolean
}

/** Who may do what. Asked before every request, so it answers from memory; and by the reviews. */
export interface Authorizer {
  authorize(who: Identity, what: Attributes): Decision
  /** What somebody may do in a namespace, as far as it can be listed. */
  rules(who: Identity, namespace: string): Rules
}

export function isResource(what: Attributes): what is ResourceAttributes {
  return "resource" in what
}
