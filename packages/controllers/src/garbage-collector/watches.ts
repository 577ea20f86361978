import { type Descriptor, deepEqual, type KubeObject } from "@pilothouse/api"
import { type Change, type Reader, type Watch, watch } from "@pilothouse/runtime"
import { isDeleting, isWaitingForDependents } from "./deletion.ts"
import { cachedLocation, keyFor } from "./kinds.ts"
import { findDependents } from "./observe.ts"
import { isWellOwned } from "./owners.ts"

/** What a change of a collected object may mean: for itself, for what it owns, for what owns it. */
export function watchesFor(of: Descriptor): readonly Watch[] {
  return [
    watch(of, `the owners or finalizers of the ${of.kind} changed`, (object, read) => itself(of, object, read), {
      predicate: concernsItself,
    }),
    watch(of, `the owner, a ${of.kind}, is gone or waits for its dependents`, dependentKeys, { predicate: concernsDependents }),
    watch(of, `a dependent, a ${of.kind}, changed or is gone`, waitingOwnerKeys, { predicate: concernsOwners }),
  ]
}

/** An object whose owners are in the cache is enqueued when one of them is deleted. */
function itself(of: Descriptor, object: KubeObject, read: Reader): readonly string[] {
  return isDeleting(object) || !isWellOwned(object, read) ? [keyFor(of, object)] : []
}

/** A status, a label: most changes are not about this. */
function concernsItself(change: Change): boolean {
  if (change.type !== "updated") return change.type === "added"
  const [old, now] = [change.old.metadata, change.object.metadata]
  return (
    old.deletionTimestamp !== now.deletionTimestamp ||
    !deepEqual(old.finalizers, now.finalizers) ||
    !deepEqual(old.ownerReferences, now.ownerReferences)
  )
}

/** A watch may show for the first time what was made and deleted in between: added, and waiting already. */
function concernsDependents(change: Change): boolean {
  if (change.type === "deleted") return true
  return isWaitingForDependents(change.object) && !(change.type === "updated" && isWaitingForDependents(change.old))
}

function dependentKeys(owner: KubeObject, read: Reader): readonly string[] {
  return findDependents(owner, read).map(({ of, object }) => keyFor(of, object))
}

function concernsOwners(change: Change): boolean {
  if (change.type === "deleted") return true
  return change.type === "updated" && !deepEqual(change.old.metadata.ownerReferences, change.object.metadata.ownerReferences)
}

/** Only owners that wait have to know. */
function waitingOwnerKeys(dependent: KubeObject, read: Reader): readonly string[] {
  return (dependent.metadata.ownerReferences ?? []).flatMap((reference) => {
    const location = cachedLocation(dependent, reference, read)
    const owner = location && read.get(location.of, location.key)
    return location && owner && isWaitingForDependents(owner) ? [keyFor(location.of, owner)] : []
  })
}
