import { type Descriptor, deepEqual, type KubeObject } from "@pilothouse/api"
import { namespaces } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, countFlag, type Reader, switchFlag, type Watch, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { AbsentOwners } from "./absent-owners.ts"
import { decide, settle } from "./decide.ts"
import { isDeleting, isWaitingForDependents } from "./deletion.ts"
import { dependentsByOwner, objectsByUid } from "./indexes.ts"
import { cachedLocation, isCollected, keyFor } from "./kinds.ts"
import { countSyncErrors } from "./metrics.ts"
import { findDependents, observe } from "./observe.ts"
import { isWellOwned } from "./owners.ts"

export const garbageCollectorDescriptor = descriptor({
  name: "garbage-collector-controller",
  aliases: ["garbagecollector"],
  flags: {
    "enable-garbage-collector": switchFlag(true, "whether objects without an owner left are deleted"),
    "concurrent-gc-syncs": countFlag(20, "objects worked on at once"),
  },
  create: (set, { metrics }) =>
    set["enable-garbage-collector"] ? garbageCollectorController({ metrics, concurrentSyncs: set["concurrent-gc-syncs"] }) : [],
})

/**
 * Deletes what is left behind when its owners have gone: in the background, or before the owner where the owner waits for that.
 * Orphans dependents where an owner is deleted with the policy Orphan. Removes references to deleted owners where others are left.
 * Every resource that the server has is collected, custom ones too, by its metadata. Keys are a resource and the key of an object in it
 * ("pods default/web-1"). Never relies on a cache that an owner is deleted: it reads from the server, and does not delete what has changed since.
 */
export function garbageCollectorController({
  metrics,
  concurrentSyncs = 20,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  const absent = new AbsentOwners()
  return controller("garbage-collector-controller", {
    for: namespaces,
    // The discovered kinds say which keys, namespaces among them.
    predicate: () => false,
    dynamicKinds: {
      metadataOnly: true,
      failed: metrics && countSyncErrors(metrics),
      includes: isCollected,
      watches: watchesFor,
      indexes: (of) => [dependentsByOwner(of), objectsByUid(of)],
    },
    maxConcurrentReconciles: concurrentSyncs,
    observe: (key, read) => observe(key, read, absent),
    decide,
    settle,
  })
}

/** What a change of a collected object may mean: for itself, for what it owns, for what owns it. */
function watchesFor(of: Descriptor): readonly Watch[] {
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
