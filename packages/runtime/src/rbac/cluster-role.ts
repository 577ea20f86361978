import type { Descriptor } from "@pilothouse/api"
import type { ClusterRole, PolicyRule } from "@pilothouse/api/rbac/v1"
import { type Controller, declaredKinds, type WriteRight } from "../controller/controller.ts"

/** What a ClusterRole is made for. */
export interface ClusterRoleOptions {
  readonly name: string
  readonly controllers: readonly Controller[]
  /** The manager installs definitions: `manager({ crds })`. */
  readonly crds?: boolean
  /** The Lease of leader election, "default/mine": reads and writes of Leases of that name. */
  readonly lease?: string
}

const reads = ["get", "list", "watch"]
const definitions: PolicyRule = {
  apiGroups: ["apiextensions.k8s.io"],
  resources: ["customresourcedefinitions"],
  verbs: ["create", ...reads, "patch"],
}
const events: PolicyRule = { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] }

/**
 * The least rights of a program with these controllers: it reads the kinds that they declare, and writes what their `writes` say. Without `writes` a controller
 * may change its own kind and its status, and create, change and delete what it owns.
 */
export function clusterRole({ name, controllers, crds = false, lease }: ClusterRoleOptions): ClusterRole {
  const rules = [...rulesOf(controllers), ...(crds ? [definitions] : []), ...(lease === undefined ? [] : leaseRules(lease))]
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules }
}

/** The rules of controllers: a rule for each API group and set of verbs, and that of their events. */
export function rulesOf(controllers: readonly Controller[]): readonly PolicyRule[] {
  const verbs = new Map<string, Set<string>>()
  const add = ({ group, plural }: Descriptor, subresource: string | undefined, added: readonly string[]) => {
    const resource = `${group} ${plural}${subresource === undefined ? "" : `/${subresource}`}`
    verbs.set(resource, new Set([...(verbs.get(resource) ?? []), ...added]))
  }
  for (const controller of controllers) {
    for (const of of declaredKinds(controller)) add(of, undefined, reads)
    for (const { of, subresource, verbs: written } of writesOf(controller)) add(of, subresource, written)
  }
  return [...joined(verbs), events]
}

function writesOf(controller: Controller): readonly WriteRight[] {
  if (controller.writes !== undefined) return controller.writes
  const { for: own, owns = [] } = controller
  const hasStatus = own.subresources.some(({ name }) => name === "status")
  return [
    { of: own, verbs: ["patch", "update"] },
    ...(hasStatus ? [{ of: own, subresource: "status", verbs: ["patch", "update"] } as const] : []),
    ...owns.map((of): WriteRight => ({ of, verbs: ["create", "delete", "patch", "update"] })),
  ]
}

/** Resources of one group with the same verbs are one rule. */
function joined(verbs: ReadonlyMap<string, ReadonlySet<string>>): readonly PolicyRule[] {
  const rules = new Map<string, { readonly group: string; readonly verbs: readonly string[]; readonly resources: string[] }>()
  for (const [resource, found] of [...verbs].sort()) {
    const [group = "", name = ""] = resource.split(" ")
    const sorted = [...found].sort()
    const key = `${group} ${sorted}`
    const rule = rules.get(key) ?? { group, verbs: sorted, resources: [] }
    rules.set(key, rule)
    rule.resources.push(name)
  }
  return Array.from(rules.values(), ({ group, resources, verbs: found }) => ({ apiGroups: [group], resources, verbs: found }))
}

/** A Lease can be limited to its name but for its creation. */
function leaseRules(lease: string): readonly PolicyRule[] {
  const [apiGroups, resources] = [["coordination.k8s.io"], ["leases"]]
  const name = lease.slice(lease.indexOf("/") + 1)
  return [
    { apiGroups, resources, verbs: ["create"] },
    { apiGroups, resources, resourceNames: [name], verbs: ["get", "patch", "update"] },
  ]
}
