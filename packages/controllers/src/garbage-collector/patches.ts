import { withoutFinalizer } from "@pilothouse/api"
import type { KubeOperation } from "@pilothouse/runtime"
import type { Item } from "./observe.ts"

/** The uid makes the server refuse the patch for another object of the name. Invalid: that, or the reference is gone already. */
export function withoutOwnersPatch({ of, object }: Item, owners: readonly string[], because: string): KubeOperation {
  const ownerReferences = owners.map((uid) => ({ $patch: "delete", uid }))
  const patch = { metadata: { uid: object.metadata.uid, ownerReferences } }
  return { do: "patch", of, object, patch, type: "strategic", fineIf: ["NotFound", "Invalid"], because }
}

/** Its owners need not wait for it any more. */
export function unblockPatch({ of, object }: Item, because: string): KubeOperation {
  const { uid, ownerReferences: all = [] } = object.metadata
  const ownerReferences = all.filter((owner) => owner.blockOwnerDeletion).map((owner) => ({ ...owner, blockOwnerDeletion: false }))
  return { do: "patch", of, object, patch: { metadata: { uid, ownerReferences } }, type: "strategic", fineIf: ["NotFound"], because }
}

/** The list is written whole, so only at the resourceVersion that was seen. */
export function withoutFinalizerPatch({ of, object }: Item, finalizer: string, because: string): KubeOperation {
  const { uid, resourceVersion } = object.metadata
  const finalizers = withoutFinalizer(object, finalizer).metadata.finalizers ?? []
  return { do: "patch", of, object, patch: { metadata: { uid, resourceVersion, finalizers } }, fineIf: ["NotFound"], because }
}
