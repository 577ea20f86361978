import { type Descriptor, deepFreeze, formatTime, type KubeObject } from "@pilothouse/api"
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "@pilothouse/api/rbac/v1"
import { bootstrapPolicy, type ComponentRole } from "../authorization/bootstrap-policy/policy-objects.ts"
import { type Reconciliation, reconcileBinding, reconcileRole } from "../authorization/bootstrap-policy/reconcile.ts"
import { setManagedFields } from "../managedfields/object-managed-fields.ts"
import { ownedAsCreated, ownedAsUpdated } from "../objects/owned-by-server.ts"
import { stamped } from "../objects/stamped.ts"
import { objectKey } from "../registry/object-key.ts"
import type { Server } from "../server/server.ts"
import type { Revision, Stored, Write } from "../storage/storage.ts"

type Reconcile = (existing: KubeObject | undefined, expected: KubeObject) => Reconciliation<KubeObject>

/** Gives roles and bindings of the bootstrap policy what they lack. A binding of another role is deleted and created again. */
export async function reconcilePolicy(server: Server, components: readonly ComponentRole[] = []): Promise<void> {
  const policy = bootstrapPolicy(components, server.registry.enabledVersions)
  const rows = [
    [clusterRoles, policy.clusterRoles, reconcileRole],
    [clusterRoleBindings, policy.clusterRoleBindings, reconcileBinding],
    [roles, policy.roles, reconcileRole],
    [roleBindings, policy.roleBindings, reconcileBinding],
  ] as const
  const changes = rows.flatMap(([descriptor, objects, reconcile]) =>
    objects.flatMap((object) => writesOf(server, descriptor, object as KubeObject, reconcile as unknown as Reconcile)),
  )
  const deletions = changes.filter(({ deletes }) => deletes === true)
  if (deletions.length > 0) await server.storage.commit(deletions)
  const writes = changes.filter(({ deletes }) => deletes !== true)
  if (writes.length > 0) await server.storage.commit(writes)
}

type Named = Pick<Descriptor, "group" | "version" | "plural">

function writesOf(server: Server, descriptor: Named, expected: KubeObject, reconcile: Reconcile): readonly Write[] {
  const { namespace, name = "" } = expected.metadata
  const key = objectKey(server.registry.served(descriptor), namespace, name)
  const stored = server.storage.get(key)
  const reconciled = reconcile(stored?.value, expected)
  if (reconciled.operation === "none") return []
  if (reconciled.operation === "update") return [updateOf(server, descriptor, stored!, reconciled.object)]
  const created: Write = { key, expected: 0, make: newObject(server, descriptor, reconciled.object) }
  return stored === undefined ? [created] : [{ key, expected: stored.revision, deletes: true, make: () => stored.value }, created]
}

function updateOf(server: Server, descriptor: Named, { key, revision: expected, value }: Stored, object: KubeObject): Write {
  const managedFields = ownedAsUpdated(server, descriptor, value, object)
  return { key, expected, make: (revision) => stamped(object, revision, managedFields) }
}

/** Sets what only the server knows without reading the rules, so that they are not made before a client reads them. */
function newObject(server: Server, descriptor: Named, object: KubeObject): (revision: Revision) => KubeObject {
  const { random, clock } = server
  const managedFields = ownedAsCreated(server, descriptor, object)
  const made = { uid: random.uuid(), creationTimestamp: formatTime(clock.now()) }
  return (revision) => {
    const metadata = deepFreeze({ ...object.metadata, ...made, resourceVersion: String(revision) })
    const fields = { ...Object.getOwnPropertyDescriptors(object), metadata: { value: metadata, enumerable: true } }
    return Object.freeze(setManagedFields(Object.create(Object.prototype, fields) as KubeObject, managedFields))
  }
}
