import { lazy } from "@pilothouse/seams"
import type { Authorizer } from "../authorizer.ts"
import { allowAuthenticated, alwaysDeny, privilegedGroupAuthorizer } from "../fixed-authorizers.ts"
import type { AuthorizationMode } from "../mode-names.ts"
import { nodeAuthorizer } from "../node/node-authorizer.ts"
import { type GraphSources, NodeGraph } from "../node/node-graph.ts"
import { rbacAuthorizer } from "../rbac/rbac-authorizer.ts"
import { RuleResolver, type RuleSources } from "../rbac/rule-resolver.ts"
import { type WebhookAuthorizerOptions, webhookAuthorizer } from "../webhook/webhook-authorizer.ts"
import { unionAuthorizer } from "./union.ts"

/** Decides on the requests of a server. Disposing ends its watches. */
export interface Authorization extends Disposable {
  readonly authorizer: Authorizer
  /** The rules of roles and bindings; undefined where RBAC is off. */
  readonly rules: RuleResolver | undefined
}

/**
 * Returns the authorizers of the modes in their order, behind the one of system:masters. Without RBAC nothing is read from the storage; the graph of
 * nodes is made for the first request that needs it.
 */
export function authorizationOf(
  modes: readonly (AuthorizationMode | WebhookAuthorizerOptions)[],
  sources: RuleSources & GraphSources,
): Authorization {
  const held = new DisposableStack()
  const rules = modes.includes("RBAC") ? held.use(new RuleResolver(sources)) : undefined
  const graph = lazy(() => held.use(new NodeGraph(sources)))
  const made: Readonly<Record<AuthorizationMode, () => Authorizer>> = {
    AlwaysAllow: () => allowAuthenticated,
    AlwaysDeny: () => alwaysDeny,
    Node: () => nodeAuthorizer(graph),
    RBAC: () => rbacAuthorizer(rules!),
  }
  const authorizer = unionAuthorizer([
    privilegedGroupAuthorizer,
    ...modes.map((mode) => (typeof mode === "string" ? made[mode]() : webhookAuthorizer(mode))),
  ])
  return { authorizer, rules, [Symbol.dispose]: () => held.dispose() }
}
