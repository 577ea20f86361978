import type { PolicyRule } from "@pilothouse/api/rbac/v1"
import type { Attributes, Authorizer, Decision, Identity, Rules } from "../authorizer.ts"
import { aggregate, isResource, noOpinion } from "../authorizer.ts"
import type { Binding } from "./binding-index.ts"
import { ruleAllows } from "./rule-allows.ts"
import { describeBinding, type RuleResolver } from "./rule-resolver.ts"

/** Returns the authorizer of Roles, ClusterRoles and their bindings. It allows or has no opinion; no rule denies. */
export function rbacAuthorizer(resolver: RuleResolver): Authorizer {
  return {
    authorize: (who, what) => decide(resolver, who, what),
    rules: (who, namespace) => listRules(resolver, who, namespace),
  }
}

function decide(resolver: RuleResolver, who: Identity, what: Attributes): Decision {
  const errors: string[] = []
  for (const found of resolver.of(who, isResource(what) ? what.namespace : "")) {
    if ("error" in found) errors.push(found.error)
    else if (found.rules.some((rule) => ruleAllows(rule, what))) return allowedBy(found.binding, who)
  }
  return errors.length === 0 ? noOpinion : { allowed: false, reason: `RBAC: ${aggregate(errors)}` }
}

/** Only reviews read the reason of what is allowed, so it is written when it is read. */
function allowedBy(binding: Binding, who: Identity): Decision {
  return {
    allowed: true,
    get reason() {
      return `RBAC: allowed by ${describeBinding(binding, who)}`
    },
  }
}

function listRules(resolver: RuleResolver, who: Identity, namespace: string): Rules {
  const { rules, errors } = rulesFor(resolver, who, namespace)
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
    ...(errors.length > 0 && { evaluationError: aggregate(errors) }),
  }
}

/** Returns every rule that applies to a user in a namespace, and why some bindings grant none. */
export function rulesFor(
  resolver: RuleResolver,
  who: Identity,
  namespace: string,
): { readonly rules: PolicyRule[]; readonly errors: string[] } {
  const [rules, errors]: [PolicyRule[], string[]] = [[], []]
  for (const found of resolver.of(who, namespace)) {
    if ("error" in found) errors.push(found.error)
    else for (const rule of found.rules) rules.push(rule)
  }
  return { rules, errors }
}
