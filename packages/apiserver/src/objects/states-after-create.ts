import type { KubeObject } from "@pilothouse/api"
import type { AdmissionAttributes } from "../admission/plugin.ts"
import { isDecidedByClients } from "../admission/plugins/decided-by-clients.ts"
import { apiServer } from "../authentication/identity.ts"
import type { Draft } from "../body/draft.ts"
import { type ManagedFields, setManagedFields } from "../managedfields/object-managed-fields.ts"
import { objectKey } from "../registry/object-key.ts"
import { statusUpdate } from "../resources/generic.ts"
import type { FollowingStates } from "../resources/resource.ts"
import type { Call } from "../server/call.ts"
import { ownHeaders } from "../server/own-write.ts"
import type { Write } from "../storage/storage.ts"
import { trackedFields } from "./field-ownership.ts"
import { stamped } from "./stamped.ts"
import { strategyContext } from "./strategy-context.ts"

/** Writes of the server that follow the create of an object in its commit. Disposed when that is over, whichever way. */
export interface FollowingWrites extends Disposable {
  readonly writes: readonly Write[]
}

/**
 * Returns the status updates by which the server follows a create, as if it had sent each as a request. They share the commit of the create: one sync for
 * all, and no client finds the object between them. Undefined for a kind without such states, and where a webhook or policy has to see the updates:
 * the controller of the kind sends them then.
 */
export function writesAfterCreate(
  call: Call,
  created: AdmissionAttributes,
  managedFields: readonly ManagedFields[],
): Promise<FollowingWrites> | undefined {
  const { statesAfterCreate } = call.resource.strategy
  if (statesAfterCreate === undefined) return undefined
  const object = created.object as KubeObject
  const update: AdmissionAttributes = { ...created, identity: apiServer, operation: "UPDATE", subresource: "status", old: object }
  if (isDecidedByClients(update)) return undefined
  const { registry, clock } = call.server
  return statusWrites(
    call,
    setManagedFields({ ...object }, managedFields),
    statesAfterCreate(object, registry.customResources, clock.now()),
  )
}

async function statusWrites(call: Call, created: KubeObject, following: FollowingStates): Promise<FollowingWrites> {
  using held = new DisposableStack()
  held.use(following)
  const own: Call = { ...call, identity: apiServer, verb: "update", subresource: "status", query: {}, headers: ownHeaders }
  const writes: Write[] = []
  let old = created
  for (const state of following.states) {
    // Only the status is another one, and neither object is frozen yet.
    const draft = { ...state } as Draft<KubeObject>
    statusUpdate.prepare(call.resource, draft, old, strategyContext(own))
    const entries = await trackedFields(own, old, draft, undefined)
    const next = draft as KubeObject
    writes.push({ key: keyOf(call, created), mayBeLarge: call.mayBeLarge, make: (revision) => stamped(next, revision, entries) })
    old = setManagedFields({ ...next }, entries)
  }
  const over = held.move()
  return { writes, [Symbol.dispose]: () => over.dispose() }
}

function keyOf({ resource, namespace }: Call, { metadata }: KubeObject): string {
  return objectKey(resource, namespace, metadata.name ?? "")
}
