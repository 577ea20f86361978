import type { Authorizer } from "../authorizer.ts"
import { allowAuthenticated, alwaysDeny, privilegedGroupAuthorizer } from "../fixed-authorizers.ts"
import { rbacAuthorizer } from "../rbac/rbac-authorizer.ts"
import { RuleResolver, type RuleSources } from "../rbac/rule-resolver.ts"
import { unionAuthorizer } from "./union.ts"

/** The names of --authorization-mode. */
export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "RBAC"] as const

export type AuthorizationMode = (typeof authorizationModes)[number]

/** Decides on the requests of a server. */
export interface Authorization {
  readonly authorizer: Authorizer
  /** The rules of roles and bindings, to be disposed of; undefined where RBAC is off. */
  readonly rules: RuleResolver | undefined
}

/** Returns the authorizers of the modes in their order, behind the one of system:masters. Without RBAC nothing is read from the storage. */
export function authorizationOf(modes: readonly AuthorizationMode[], sources: RuleSources): Authorization {
  const rules = modes.includes("RBAC") ? new RuleResolver(sources) : undefined
  const made: Readonly<Record<AuthorizationMode, () => Authorizer>> = {
    AlwaysAllow: () => allowAuthenticated,
    AlwaysDeny: () => alwaysDeny,
    RBAC: () => rbacAuthorizer(rules!),
  }
  return { authorizer: unionAuthorizer([privilegedGroupAuthorizer, ...modes.map((mode) => made[mode]())]), rules }
}
