import { quoted } from "@pilothouse/api"
import type { RoleRef } from "@pilothouse/api/rbac/v1"
import type { Attributes, Authorizer, Decision, Identity, Rules } from "../authorizer.ts"
import { aggregate, isResource, noOpinion } from "../authorizer.ts"
import type { Binding } from "./binding-index.ts"
import { RuleLists } from "./rule-allows.ts"
import { describeBinding, type RuleResolver, rulesFor } from "./rule-resolver.ts"

/** Returns the authorizer of Roles, ClusterRoles and their bindings. It allows or has no opinion; no rule denies. */
export function rbacAuthorizer(resolver: RuleResolver): Authorizer {
  const lists = new RuleLists()
  return {
    authorize: (who, what) => decide(resolver, lists, who, what),
    rules: (who, namespace) => listRules(resolver, who, namespace),
  }
}

function decide(resolver: RuleResolver, lists: RuleLists, who: Identity, what: Attributes): Decision {
  const missing: RoleRef[] = []
  for (const binding of resolver.bindingsOf(who, isResource(what) ? what.namespace : "")) {
    const rules = resolver.rulesBy(binding)
    if (rules === undefined) missing.push(binding.roleRef)
    else if (lists.allow(rules, what)) return new AllowedBy(binding, who)
  }
  return missing.length === 0 ? noOpinion : { allowed: false, reason: `RBAC: ${aggregate(missing.map(notFoundText))}` }
}

/** A decision whose reason is written when it is read, which only reviews do. */
class AllowedBy implements Decision {
  readonly allowed = true
  readonly #binding: Binding
  readonly #who: Identity

  constructor(binding: Binding, who: Identity) {
    this.#binding = binding
    this.#who = who
  }

  get reason(): string {
    return `RBAC: allowed by ${describeBinding(this.#binding, this.#who)}`
  }
}

function listRules(resolver: RuleResolver, who: Identity, namespace: string): Rules {
  const { rules, missing } = rulesFor(resolver, who, namespace)
  return {
    resourceRules: rules
      .filter(({ resources = [] }) => resources.length > 0)
      .map(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames.length > 0 && { resourceNames }),
      })),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) => (nonResourceURLs.length > 0 ? [{ verbs, nonResourceURLs }] : [])),
    incomplete: false,
    ...(missing.length > 0 && { evaluationError: aggregate(missing.map(notFoundText)) }),
  }
}

/** Upstream's words for a role that a binding refers to and that does not exist. */
function notFoundText({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quoted(name)} not found`
}
