import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "@pilothouse/api/rbac/v1"
import type { Identity, RightReport, RoleName } from "@pilothouse/apiserver"
import type { Client } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { lastReconciles, type TracedReconcile } from "../trace.ts"

/** A request that an authorizer refused. */
export interface RefusedRequest {
  readonly user: string
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  /** "" at the cluster scope. */
  readonly namespace: string
  readonly name: string
}

const marker = ' is forbidden: User "'

/** Returns the request that a refusal names; undefined for every other text, also of a quota that was refused. */
export function refusedRequestIn(text: string): RefusedRequest | undefined {
  const at = text.indexOf(marker)
  if (at < 0) return undefined
  // prose: a refusal has no other field for its user and verb, on any Kubernetes server; the words are those of every release since 1.8.
  const [user = "", asked = "", target = "", inGroup, group = "", scope = "", namespace = "", end] = text
    .slice(at + marker.length)
    .split('"', 8)
  const verb = /^ cannot ([a-z]+) resource $/.exec(asked)?.[1]
  const isNamespaced = scope === " in the namespace " && end !== undefined
  if (verb === undefined || inGroup !== " in API group " || !(isNamespaced || scope.startsWith(" at the cluster scope"))) return undefined
  const subject = { ...targetIn(target), group, name: lastQuoted(text.slice(0, at)) }
  return { user, verb, ...subject, namespace: isNamespaced ? namespace : "" }
}

/** Of "deployments/scale". */
function targetIn(text: string): Pick<RefusedRequest, "resource" | "subresource"> {
  const [resource = "", ...rest] = text.split("/")
  return { resource, subresource: rest.join("/") }
}

/** The name in `deployments.apps "web"`; "" where the text does not end with one. */
function lastQuoted(text: string): string {
  return text.endsWith('"') ? text.slice(text.lastIndexOf('"', text.length - 2) + 1, -1) : ""
}

/** Requests to name at the most: one controller that lacks its role fails with many. */
const maxRequests = 5
const maxNames = 4

/**
 * Returns the rights that the last reconciles lacked, which roles would give them, and what the user has: read from the roles and bindings of now, which may be
 * others than those of then.
 */
export async function refusalLines(client: Client, reconciles: readonly TracedReconcile[]): Promise<readonly string[]> {
  const requests = new Map<string, RefusedRequest>()
  for (const { error = "" } of lastReconciles(reconciles)) {
    const request = refusedRequestIn(error)
    if (request !== undefined) requests.set(JSON.stringify(request), request)
  }
  if (requests.size === 0) return []
  const [{ reportRight }, listed] = await Promise.all([import("./report-right.ts"), listRules(client)])
  const shown = [...requests.values()].slice(0, maxRequests)
  return shown.map((request) => {
    const needs = `needs: ${rightText(request)}`
    if ("unread" in listed) return `${needs}; roles and bindings could not be read: ${listed.unread}`
    return `${needs}; ${reportText(request, reportRight(userOf(request.user), { ...request, version: "*" }, listed))}`
  })
}

async function listRules(client: Client) {
  try {
    const lists = [client.list(clusterRoles), client.list(roles), client.list(clusterRoleBindings), client.list(roleBindings)] as const
    const [ofCluster, inNamespaces, bindingsOfCluster, bindings] = await Promise.all(lists)
    return {
      clusterRoles: ofCluster.items,
      roles: inNamespaces.items,
      clusterRoleBindings: bindingsOfCluster.items,
      roleBindings: bindings.items,
    }
  } catch (error) {
    return { unread: messageOf(error) }
  }
}

/** "create pods in shop" */
function rightText({ verb, group, resource, subresource, namespace }: RefusedRequest): string {
  const plural = `${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`
  return `${verb} ${plural} ${namespace === "" ? "in the whole cluster" : `in ${namespace}`}`
}

function reportText({ user }: RefusedRequest, { giving, bound, by }: RightReport): string {
  if (by !== undefined) return `${named(by.binding)} gives it to ${user} by now, with ${named(by.role)}`
  const roles = giving.length === 0 ? "no role gives it" : `${listed(giving)} ${giving.length === 1 ? "gives" : "give"} it`
  const missing = bound.filter(({ exists }) => !exists)
  // What every user has comes from ClusterRoleBindings: it would hide the rest.
  const own = bound.toSorted((one, other) => (one.binding.kind === other.binding.kind ? 0 : one.binding.kind === "RoleBinding" ? -1 : 1))
  const has = bound.length === 0 ? `${user} has no binding` : `${user} has ${listed(own.map(({ role }) => role))}`
  const gone = missing.length === 0 ? "" : `; not there: ${listed(missing.map(({ role }) => role))}`
  return `${roles}; no binding gives it: ${has}${gone}`
}

function named({ kind, name }: RoleName): string {
  return `${kind} ${name}`
}

/** "ClusterRole admin, ClusterRole edit and 3 more" */
function listed(names: readonly RoleName[]): string {
  const texts = [...new Set(names.map(named))]
  const more = texts.length - maxNames
  return more > 0 ? `${texts.slice(0, maxNames).join(", ")} and ${more} more` : texts.join(", ")
}

/** The groups that a user is in by its name; those of other users are known to their server alone. */
function userOf(name: string): Identity {
  const [system, kind, namespace] = name.split(":")
  const own =
    system !== "system"
      ? []
      : kind === "serviceaccount"
        ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
        : kind === "node"
          ? ["system:nodes"]
          : []
  return { name, groups: [...own, "system:authenticated"] }
}
