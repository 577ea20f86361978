import { type Descriptor, deepEqual, type KubeObject } from "@pilothouse/api"
import { type Change, type Reader, type Watch, watch } from "@pilothouse/runtime"
import { isWaitingForDependents } from "./finalizers.ts"
import { collected, keyFor, ownerPlace } from "./kinds.ts"
import { dependentsOf } from "./observe.ts"

/** What a change of a collected object may mean: for itself, for what it owns, for what owns it. */
export const watches: readonly Watch[] = collected.flatMap((of) => [
  watch(of, `the owners or finalizers of the ${of.kind} changed`, (object) => itself(of, object), { when: concernsItself }),
  watch(of, `the owner, a ${of.kind}, is gone or waits for its dependents`, dependentKeys, { when: concernsDependents }),
  watch(of, `a dependent, a ${of.kind}, changed or is gone`, waitingOwnerKeys, { when: concernsOwners }),
])

function itself(of: Descriptor, object: KubeObject): readonly string[] {
  return object.metadata.ownerReferences?.length || object.metadata.deletionTimestamp !== undefined ? [keyFor(of, object)] : []
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

function concernsDependents(change: Change): boolean {
  if (change.type === "deleted") return true
  return change.type === "updated" && isWaitingForDependents(change.object) && !isWaitingForDependents(change.old)
}

function dependentKeys(owner: KubeObject, read: Reader): readonly string[] {
  return dependentsOf(owner, read).map(({ of, object }) => keyFor(of, object))
}

function concernsOwners(change: Change): boolean {
  if (change.type === "deleted") return true
  return change.type === "updated" && !deepEqual(change.old.metadata.ownerReferences, change.object.metadata.ownerReferences)
}

/** Only owners that wait have to know. */
function waitingOwnerKeys(dependent: KubeObject, read: Reader): readonly string[] {
  return (dependent.metadata.ownerReferences ?? []).flatMap((reference) => {
    const place = ownerPlace(dependent, reference)
    const owner = place && read.get(place.of, place.key)
    return place && owner && isWaitingForDependents(owner) ? [keyFor(place.of, owner)] : []
  })
}
