import { lazy, PilothouseError } from "@pilothouse/seams"
import { type Attributes, type Authorizer, aggregate, type Decision, type Identity, noOpinion, type Rules } from "../authorizer.ts"
import { allowAuthenticated, alwaysDeny, privilegedGroupAuthorizer } from "../fixed-authorizers.ts"
import type { AuthorizationMode } from "../mode-names.ts"
import { nodeAuthorizer } from "../node/node-authorizer.ts"
import { type GraphSources, NodeGraph } from "../node/node-graph.ts"
import { rbacAuthorizer } from "../rbac/rbac-authorizer.ts"
import { RuleResolver, type RuleSources } from "../rbac/rule-resolver.ts"
import { type WebhookAuthorizerOptions, webhookAuthorizer } from "../webhook/webhook-authorizer.ts"

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
    Node: () => nodeAuthorizer(graph ?? offAtStart("Node"), sources.registry.enabledVersions),
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

/** Returns an authorizer that calls several in their order: the first that allows or denies decides. Without a promise where none of them returns one. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize: (who, what) => decideFrom(authorizers, { who, what, reasons: [], errors: [] }, 0),
    rules: (who, namespace) => allRules(authorizers.map((authorizer) => authorizer.rules(who, namespace))),
  }
}

interface Question {
  readonly who: Identity
  readonly what: Attributes
  /** Of the authorizers that had no opinion. */
  readonly reasons: string[]
  readonly errors: string[]
}

function decideFrom(authorizers: readonly Authorizer[], question: Question, first: number): Decision | Promise<Decision> {
  for (let index = first; index < authorizers.length; index++) {
    const decision = authorizers[index]!.authorize(question.who, question.what)
    if (decision instanceof Promise) return decision.then((made) => decides(made, question) ?? decideFrom(authorizers, question, index + 1))
    const decided = decides(decision, question)
    if (decided !== undefined) return decided
  }
  const reason = question.reasons.join("\n")
  if (question.errors.length > 0) return { allowed: false, reason, error: aggregate(question.errors) }
  return reason === "" ? noOpinion : { allowed: false, reason }
}

function decides(decision: Decision, { reasons, errors }: Question): Decision | undefined {
  if (decision.allowed || decision.denied === true) return decision
  if (decision.error !== undefined) errors.push(decision.error)
  if (decision.reason !== undefined && decision.reason !== "") reasons.push(decision.reason)
  return undefined
}

function allRules(lists: readonly (Rules | Promise<Rules>)[]): Rules | Promise<Rules> {
  if (lists.some((rules) => rules instanceof Promise)) return Promise.all(lists).then(joined)
  return joined(lists as readonly Rules[])
}

function joined(lists: readonly Rules[]): Rules {
  const errors = lists.flatMap(({ evaluationError }) => evaluationError ?? [])
  return {
    resourceRules: lists.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: lists.flatMap(({ nonResourceRules }) => nonResourceRules),
    incomplete: lists.some(({ incomplete }) => incomplete),
    ...(errors.length > 0 && { evaluationError: aggregate(errors) }),
  }
}
