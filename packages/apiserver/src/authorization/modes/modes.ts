import { lazy, PilothouseError } from "@pilothouse/seams"
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
  /** Stays the same when others decide behind it. */
  readonly authorizer: Authorizer
  /** The rules of roles and bindings; undefined where RBAC is off. */
  readonly rules: RuleResolver | undefined
  /** Lets these decide from the next request on. Throws for a mode that reads the storage and was off at the start, and then nothing has changed. */
  replace(modes: Modes): void
}

type Modes = readonly (AuthorizationMode | WebhookAuthorizerOptions)[]

/**
 * Returns the authorizers of the modes in their order, behind the one of system:masters. Without RBAC nothing is read from the storage; the graph of
 * nodes is made for the first request that needs it.
 */
export function authorizationOf(modes: Modes, sources: RuleSources & GraphSources): Authorization {
  const held = new DisposableStack()
  const rules = modes.includes("RBAC") ? held.use(new RuleResolver(sources)) : undefined
  const graph = modes.includes("Node") ? lazy(() => held.use(new NodeGraph(sources))) : undefined
  const made: Readonly<Record<AuthorizationMode, () => Authorizer>> = {
    AlwaysAllow: () => allowAuthenticated,
    AlwaysDeny: () => alwaysDeny,
    Node: () => nodeAuthorizer(graph ?? offAtStart("Node")),
    RBAC: () => rbacAuthorizer(rules ?? offAtStart("RBAC")),
  }
  const united = (wanted: Modes) =>
    unionAuthorizer([
      privilegedGroupAuthorizer,
      ...wanted.map((mode) => (typeof mode === "string" ? made[mode]() : webhookAuthorizer(mode))),
    ])
  let current = united(modes)
  return {
    authorizer: {
      authorize: (who, what) => current.authorize(who, what),
      rules: (who, namespace) => current.rules(who, namespace),
    },
    rules,
    replace(wanted) {
      current = united(wanted)
    },
    [Symbol.dispose]: () => held.dispose(),
  }
}

function offAtStart(mode: AuthorizationMode): never {
  throw new PilothouseError("INVALID", `authorizer type ${mode} is not allowed if it was not enabled at initial server startup`)
}
