import { formatTime, type KubeObject } from "@pilothouse/api"
import { namespaces } from "@pilothouse/api/core/v1"
import { clusterRoleBindings, clusterRoles } from "@pilothouse/api/rbac/v1"
import { privilegedGroup } from "../authentication/identity.ts"
import { stamped } from "../objects/metadata.ts"
import { objectKey } from "../registry/object-key.ts"
import type { Server } from "../server/server.ts"

/** The binding that keeps the rights of users whom a server without RBAC knew. */
const name = "pilothouse:known-before-rbac"

/**
 * Gives the users of token files the role cluster-admin where a storage is served with RBAC for the first time: until then they might do everything,
 * and without the binding they would be refused after an upgrade. Logs one line that says so. A new storage binds none.
 */
export async function bindKnownUsers(server: Server): Promise<void> {
  if (!wasServedWithoutRbac(server)) return
  const known = [...server.tokens.values()].filter(({ groups }) => !groups.includes(privilegedGroup))
  const users = [...new Set(known.map((user) => user.name))].sort()
  server.log.warn(message(users))
  if (users.length === 0) return
  const key = objectKey(server.registry.served(clusterRoleBindings), undefined, name)
  const apiGroup = "rbac.authorization.k8s.io"
  const binding: KubeObject & Record<string, unknown> = {
    kind: "ClusterRoleBinding",
    apiVersion: `${apiGroup}/v1`,
    metadata: { name, uid: server.random.uuid(), creationTimestamp: formatTime(server.clock.now()) },
    subjects: users.map((user) => ({ kind: "User", apiGroup, name: user })),
    roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
  }
  await server.storage.commit([{ key, expected: 0, make: (revision) => stamped(binding, revision) }])
}

/** Every server makes the namespaces, and one with RBAC the role cluster-admin. */
function wasServedWithoutRbac({ storage, registry }: Server): boolean {
  const has = (descriptor: typeof namespaces | typeof clusterRoles, object: string) =>
    storage.get(objectKey(registry.served(descriptor), undefined, object)) !== undefined
  return has(namespaces, "kube-system") && !has(clusterRoles, "cluster-admin")
}

function message(users: readonly string[]): string {
  const kept =
    users.length === 0
      ? ""
      : `; ${users.join(", ")} may still do everything, by the ClusterRoleBinding ${name}: delete it when they have bindings of their own`
  return `roles and bindings decide which user may do what from this start on, and service accounts have no other rights${kept}; --authorization-mode=AlwaysAllow is as before`
}
