import { deepEqual, matchesLabels, selectorOf } from "@pilothouse/api"
import { type ClusterRole, clusterRoles, type PolicyRule } from "@pilothouse/api/rbac/v1"
import { type Controller, controller, index, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

/**
 * Gives ClusterRoles with an aggregationRule the rules of the ClusterRoles that its selectors select: those of `admin`, `edit` and `view`, and of every
 * operator that adds its kinds to them. Watches ClusterRoles; a change of one may concern every aggregated one. Rules are applied by its own field
 * manager, and what other managers have put there goes.
 */
export function clusterRoleAggregationController(): Controller {
  return controller("clusterrole-aggregation-controller", {
    for: clusterRoles,
    predicate: ({ type, object }) => type !== "deleted" && isAggregated(object as ClusterRole),
    fieldManager: "clusterrole-aggregation-controller",
    indexes: [aggregatedRoles],
    watches: [
      watch(
        clusterRoles,
        "a ClusterRole that may be a part of it changed",
        (_role, read) => read.byIndex(aggregatedRoles, "yes").map(({ metadata }) => metadata.name ?? ""),
        { predicate: (_change, initial) => !initial },
      ),
    ],
    observe,
    decide,
  })
}

const aggregatedRoles = index(clusterRoles, "aggregated", (role) => (isAggregated(role) ? ["yes"] : []))

function isAggregated({ aggregationRule }: ClusterRole): boolean {
  return aggregationRule !== undefined
}

export interface Observed {
  readonly role: ClusterRole
  /** The ClusterRoles that each selector selects, in the order of their names. */
  readonly selected: readonly (readonly ClusterRole[])[]
}

function observe(key: string, read: Reader): Observed | undefined {
  const role = read.get(clusterRoles, key)
  if (role?.aggregationRule === undefined) return undefined
  const all = read.list(clusterRoles)
  const selectors = (role.aggregationRule.clusterRoleSelectors ?? []).map(selectorOf)
  return { role, selected: selectors.map((selector) => byName(all.filter(({ metadata }) => matchesLabels(selector, metadata.labels)))) }
}

function byName(roles: readonly ClusterRole[]): readonly ClusterRole[] {
  return [...roles].sort(({ metadata: { name: one = "" } }, { metadata: { name: other = "" } }) => (one < other ? -1 : 1))
}

/** Joins the rules of all parts, each once, in the order of selectors and of names. */
export function decide({ role, selected }: Observed): Plan {
  const { name = "" } = role.metadata
  const parts = new Set(selected.flat().filter(({ metadata }) => metadata.name !== name))
  const known = new Map<string, PolicyRule>()
  for (const part of parts) {
    for (const rule of part.rules ?? []) {
      const key = ruleKey(rule)
      if (!known.has(key)) known.set(key, rule)
    }
  }
  const rules = [...known.values()]
  if (deepEqual(rules, role.rules ?? [])) return plan().nothing("it has the rules of its parts")
  const applied: ClusterRole = { apiVersion: role.apiVersion, kind: role.kind, metadata: { name }, rules }
  return plan().apply(applied, `it should have the ${rules.length} rules of its ${parts.size} parts`, { force: true })
}

/** Rules with the same key say the same: a list that is empty is none. */
function ruleKey({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs])
}

export const clusterRoleAggregationDescriptor = descriptor({
  name: "clusterrole-aggregation-controller",
  aliases: ["clusterrole-aggregation"],
  create: () => clusterRoleAggregationController(),
})
