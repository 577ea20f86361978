import { type Descriptor, formatTime, type KubeObject } from "@pilothouse/api"
import { namespaces, type ServiceAccount, serviceAccounts } from "@pilothouse/api/core/v1"
import { clusterRoleBindings, clusterRoles, roleBindings } from "@pilothouse/api/rbac/v1"
import { privilegedGroup } from "../authentication/identity.ts"
import { ownedAsCreated } from "../objects/owned-by-server.ts"
import { stamped } from "../objects/stamped.ts"
import { objectKey } from "../registry/object-key.ts"
import type { Server } from "../server/server.ts"

/** The binding that keeps the rights of users whom a server without RBAC knew. */
const name = "pilothouse:known-before-rbac"

/**
 * Gives the role cluster-admin to the users of token files, and to service accounts for which no binding was written, where a storage is served with
 * RBAC for the first time: until then they might do everything, and without the binding they would be refused after an upgrade. An account that a
 * binding names has the rights that were meant for it, and the accounts named default, which every pod has that asks for no other, get none. Logs one
 * line that says so. A new storage binds none.
 */
export async function bindKnownUsers(server: Server): Promise<void> {
  if (!wasServedWithoutRbac(server)) return
  const known = [...server.tokens.values()].filter(({ groups }) => !groups.includes(privilegedGroup))
  const users = [...new Set(known.map((user) => user.name))].sort()
  const accounts = unboundAccounts(server)
  server.log.warn(message([...users, ...accounts.map(({ metadata }) => `the service account ${metadata.namespace}/${metadata.name}`)]))
  if (users.length + accounts.length === 0) return
  const key = objectKey(server.registry.served(clusterRoleBindings), undefined, name)
  const apiGroup = "rbac.authorization.k8s.io"
  const binding: KubeObject & Record<string, unknown> = {
    kind: "ClusterRoleBinding",
    apiVersion: `${apiGroup}/v1`,
    metadata: { name, uid: server.random.uuid(), creationTimestamp: formatTime(server.clock.now()) },
    subjects: [
      ...users.map((user) => ({ kind: "User", apiGroup, name: user })),
      ...accounts.map(({ metadata }) => ({ kind: "ServiceAccount", namespace: metadata.namespace, name: metadata.name })),
    ],
    roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
  }
  const managedFields = ownedAsCreated(server, clusterRoleBindings, binding)
  await server.storage.commit([{ key, expected: 0, make: (revision) => stamped(binding, revision, managedFields) }])
}

/** Service accounts that a person made, and that no binding names. */
function unboundAccounts(server: Server): readonly ServiceAccount[] {
  const stored = <T extends KubeObject>(descriptor: Descriptor<T>) =>
    server.storage.list(server.registry.of(descriptor).stored.prefix).items.map(({ value }) => value as T)
  const bindings = [...stored(clusterRoleBindings), ...stored(roleBindings)]
  const bound = new Set(
    bindings.flatMap(({ metadata, subjects = [] }) =>
      subjects.flatMap((one) => (one.kind === "ServiceAccount" ? [`${one.namespace ?? metadata.namespace}/${one.name}`] : [])),
    ),
  )
  return stored(serviceAccounts).filter(
    ({ metadata }) => metadata.name !== "default" && !bound.has(`${metadata.namespace}/${metadata.name}`),
  )
}

/** Every server makes the namespaces, and one with RBAC the role cluster-admin. */
function wasServedWithoutRbac({ storage, registry }: Server): boolean {
  const has = (descriptor: typeof namespaces | typeof clusterRoles, object: string) =>
    storage.get(objectKey(registry.served(descriptor), undefined, object)) !== undefined
  return has(namespaces, "kube-system") && !has(clusterRoles, "cluster-admin")
}

const shownUsers = 10

function message(users: readonly string[]): string {
  const more = users.length > shownUsers ? ` and ${users.length - shownUsers} more` : ""
  const kept =
    users.length === 0
      ? ""
      : `; ${users.slice(0, shownUsers).join(", ")}${more} may still do everything, by the ClusterRoleBinding ${name}: delete it when they have bindings of their own`
  return `roles and bindings decide which user may do what from this start on, service accounts that they name or that are named default included${kept}; --authorization-mode=AlwaysAllow is as before`
}
