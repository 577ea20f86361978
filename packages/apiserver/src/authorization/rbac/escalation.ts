import { deepEqual, forbidden, type KubeObject, notFound, quoted } from "@pilothouse/api"
import {
  type ClusterRole,
  clusterRoleBindings,
  clusterRoles,
  type PolicyRule,
  type RoleBinding,
  type RoleRef,
  roleBindings,
  roles,
} from "@pilothouse/api/rbac/v1"
import type { AdmissionAttributes, AdmissionPlugin } from "../../admission/plugin.ts"
import { inTurns } from "../../request/turns.ts"
import { type Authorizer, aggregate } from "../authorizer.ts"
import { compactRules, quotedList, ruleText, TooManyRights, uncoveredInSteps } from "./covers.ts"
import { type RuleResolver, rulesFor } from "./rule-resolver.ts"
import { policyRule } from "./rule-text.ts"

/** An aggregated role can gather every rule. */
const everything: readonly PolicyRule[] = ["* *: *", "* *"].map(policyRule)

/**
 * Refuses roles and bindings that grant what their writer does not have: a role needs each of its rights or the verb `escalate`, a binding those of its
 * role or the verb `bind`. It stands behind every plugin that changes objects and before validation, as upstream's storage of these kinds does.
 */
export function escalationCheck(authorizer: Authorizer, resolver: RuleResolver): AdmissionPlugin {
  const checks: Readonly<Record<string, (attributes: AdmissionAttributes) => Promise<void>>> = {
    [roles.plural]: (attributes) => checkRole(authorizer, resolver, attributes),
    [clusterRoles.plural]: (attributes) => checkRole(authorizer, resolver, attributes),
    [roleBindings.plural]: (attributes) => checkBinding(authorizer, resolver, attributes),
    [clusterRoleBindings.plural]: (attributes) => checkBinding(authorizer, resolver, attributes),
  }
  return {
    name: "rbac-escalation-check",
    admit(attributes) {
      const { resource, identity, object, old } = attributes
      if (resource.descriptor.group !== roles.group || object === undefined || identity.groups.includes("system:masters")) return
      if (old !== undefined && changesGarbageCollectionOnly(object as KubeObject, old)) return
      return checks[resource.descriptor.plural]?.(attributes)
    },
  }
}

async function checkRole(authorizer: Authorizer, resolver: RuleResolver, attributes: AdmissionAttributes): Promise<void> {
  const { identity, resource, namespace = "", name, operation, object, old } = attributes
  const { group, plural } = resource.descriptor
  // The path of a create has no name.
  const named = operation === "CREATE" ? "" : name
  const right = { verb: "escalate", group, version: "*", resource: plural, subresource: "", namespace, name: named }
  if ((await authorizer.authorize(identity, right)).allowed) return
  const refused = (reason: string) => forbidden(resource.descriptor, name, reason)
  const { rules } = object as unknown as ClusterRole
  const escalation = await escalationText(resolver, attributes, rules ?? [])
  if (escalation !== undefined) throw refused(escalation)
  if (![object, old].some(isAggregated) || (await escalationText(resolver, attributes, everything)) === undefined) return
  throw refused("must have cluster-admin privileges to use the aggregationRule")
}

function isAggregated(object: unknown): boolean {
  return ((object as ClusterRole | undefined)?.aggregationRule?.clusterRoleSelectors ?? []).length > 0
}

async function checkBinding(authorizer: Authorizer, resolver: RuleResolver, attributes: AdmissionAttributes): Promise<void> {
  const { identity, resource, namespace = "", name, object } = attributes
  const { roleRef } = object as unknown as Partial<RoleBinding>
  const descriptor = roleRef && referenced(roleRef)
  // Validation refuses a binding without a role.
  if (roleRef === undefined || descriptor === undefined) return
  const { apiGroup: group = "" } = roleRef
  const right = { verb: "bind", group, version: "*", resource: descriptor.plural, subresource: "", namespace, name: roleRef.name }
  if ((await authorizer.authorize(identity, right)).allowed) return
  const rules = resolver.rulesOf(roleRef, namespace)
  // Upstream names the resource of the request here, not that of the role.
  if (rules === undefined) throw notFound(resource.descriptor, roleRef.name)
  const escalation = await escalationText(resolver, attributes, rules)
  if (escalation !== undefined) throw forbidden(resource.descriptor, name, escalation)
}

function referenced({ kind }: RoleRef): typeof roles | typeof clusterRoles | undefined {
  return kind === "Role" ? roles : kind === "ClusterRole" ? clusterRoles : undefined
}

/** Returns upstream's words for the rights that a user does not have; undefined where the user has all. */
async function escalationText(
  resolver: RuleResolver,
  attributes: AdmissionAttributes,
  granted: readonly PolicyRule[],
): Promise<string | undefined> {
  const { identity: who, namespace = "", resource, server, request } = attributes
  const { rules, missing: lost } = rulesFor(resolver, who, namespace)
  let missing: readonly PolicyRule[]
  try {
    missing = await inTurns(uncoveredInSteps(rules, granted), server.turns.begin(request.signal))
  } catch (error) {
    if (error instanceof TooManyRights)
      return `${error.message}; divide it, or let a user write it who may "escalate" roles and "bind" them`
    throw error
  }
  if (missing.length === 0) return undefined
  const lines = [...new Set(compactRules(missing).map(ruleText))].sort()
  const lostText = ({ name }: RoleRef) => `${resource.descriptor.plural}.${roles.group} ${quoted(name)} not found`
  const errors = lost.length === 0 ? "" : `; resolution errors: [${aggregate(lost.map(lostText))}]`
  const title = `user ${quoted(who.name)} (groups=${quotedList(who.groups)}) is attempting to grant RBAC permissions not currently held:`
  return `${title}\n${lines.join("\n")}${errors}`
}

/** The garbage collector may release every object, whatever that grants. */
export function changesGarbageCollectionOnly(object: KubeObject, old: KubeObject): boolean {
  return deepEqual(withoutOwners(object), withoutOwners(old))
}

function withoutOwners({ metadata, ...rest }: KubeObject): unknown {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managers, ...kept } = metadata
  return { ...rest, metadata: kept }
}
