import { type OwnerReference, withoutFinalizer } from "@pilothouse/api"
import { descriptorFor } from "@pilothouse/api/descriptors"
import type { KubeOperation } from "@pilothouse/runtime"
import type { Item } from "./observe.ts"

/**
 * The uid makes the server refuse the patch for another object of the name (Invalid, as what it says of a dependent that a policy keeps as it is:
 * whose owner would be deleted if that counted as done, and the dependent be collected after it). The next reconcile sees which of the two it is.
 */
export function withoutOwnersPatch(item: Item, owners: readonly string[], reason: string): KubeOperation {
  const { of, object } = item
  const remaining = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !owners.includes(uid))
  if (isCustom(item)) return ownersPatch(item, remaining, reason)
  const ownerReferences = owners.map((uid) => ({ $patch: "delete", uid }))
  const patch = { metadata: { uid: object.metadata.uid, ownerReferences } }
  return { do: "patch", of, object, patch, type: "strategic", tolerate: ["NotFound"], reason }
}

/** Its owners need not wait for it any more. */
export function unblockPatch(item: Item, reason: string): KubeOperation {
  const { of, object } = item
  const { uid, ownerReferences: all = [] } = object.metadata
  const unblocked = (owner: OwnerReference) => ({ ...owner, blockOwnerDeletion: false })
  if (isCustom(item)) return ownersPatch(item, all.map(unblocked), reason)
  const ownerReferences = all.filter((owner) => owner.blockOwnerDeletion).map(unblocked)
  return { do: "patch", of, object, patch: { metadata: { uid, ownerReferences } }, type: "strategic", tolerate: ["NotFound"], reason }
}

/** The list is written whole, so only at the resourceVersion that was seen. */
export function withoutFinalizerPatch({ of, object }: Item, finalizer: string, reason: string): KubeOperation {
  const { uid, resourceVersion } = object.metadata
  const finalizers = withoutFinalizer(object, finalizer).metadata.finalizers ?? []
  return { do: "patch", of, object, patch: { metadata: { uid, resourceVersion, finalizers } }, tolerate: ["NotFound"], reason }
}

/** The server cannot merge lists of kinds that it does not know itself: it gets the whole list. */
function ownersPatch({ of, object }: Item, ownerReferences: readonly OwnerReference[], reason: string): KubeOperation {
  const { uid, resourceVersion } = object.metadata
  return { do: "patch", of, object, patch: { metadata: { uid, resourceVersion, ownerReferences } }, tolerate: ["NotFound"], reason }
}

function isCustom({ of }: Item): boolean {
  return descriptorFor(of) === undefined
}
