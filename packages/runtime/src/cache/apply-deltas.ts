import { deepEqual, type KubeObject } from "@pilothouse/api"
import type { Notice } from "./change.ts"
import type { Delta, Deltas } from "./delta-queue.ts"
import type { Store } from "./store.ts"

/** Applies the deltas of one object to a store and appends what handlers are notified of to `notices`: client-go's processDeltas. */
export function applyDeltas<T extends KubeObject>(store: Store<T>, { key, deltas, initial }: Deltas<T>, notices: Notice<T>[]): void {
  for (const delta of deltas) {
    if (delta.type === "deleted") remove(store, key, delta, notices)
    else put(store, key, delta, initial, notices)
  }
}

function remove<T extends KubeObject>(store: Store<T>, key: string, delta: Delta<T> & { type: "deleted" }, notices: Notice<T>[]): void {
  const old = store.remove(key)
  if (old === undefined) return
  const { object, finalStateUnknown } = delta
  notices.push({ change: { type: "deleted", object, finalStateUnknown }, initial: false })
}

function put<T extends KubeObject>(store: Store<T>, key: string, delta: Delta<T>, initial: boolean, notices: Notice<T>[]): void {
  const { object } = delta
  const old = store.get(key)
  if (old !== undefined && isSameVersion(old, object) && !(isFromRestoredServer(delta) && !deepEqual(old, object))) {
    // The stored object stays: it may be shared, and callers may compare it by identity.
    if (delta.type === "sync") notices.push({ change: { type: "resync", object: old }, initial: true })
    return
  }
  store.put(object, key)
  if (old === undefined) notices.push({ change: { type: "added", object }, initial })
  else if (old.metadata.uid === object.metadata.uid) notices.push({ change: { type: "updated", object, old }, initial: false })
  else {
    // Deleted and created again while no watch was open: two objects, so two notices.
    notices.push({ change: { type: "deleted", object: old, finalStateUnknown: true }, initial: false })
    notices.push({ change: { type: "added", object }, initial: false })
  }
}

/** A restored server reuses the resourceVersions of its old history for other contents. */
function isFromRestoredServer(delta: Delta): boolean {
  return delta.type === "replaced" && delta.wentBack
}

function isSameVersion({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return a === b || (a.resourceVersion !== undefined && a.resourceVersion === b.resourceVersion && a.uid === b.uid)
}
