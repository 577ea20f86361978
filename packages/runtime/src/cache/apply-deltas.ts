import { deepEqual, type KubeObject } from "@pilothouse/api"
import type { Notice } from "./change.ts"
import type { Delta, Deltas } from "./delta-queue.ts"
import type { Store } from "./store.ts"

/** Brings the deltas of one object into a store, and adds what handlers are to be told to `notices`. */
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
    // The stored one stays: it may be shared, and whoever compares by identity is right to.
    if (delta.type === "sync") notices.push({ change: { type: "resync", object: old }, initial: true })
    return
  }
  store.put(object, key)
  if (old === undefined) notices.push({ change: { type: "added", object }, initial })
  else if (old.metadata.uid === object.metadata.uid) notices.push({ change: { type: "updated", object, old }, initial: false })
  else {
    // Deleted and made anew while nobody watched: two objects, two lives.
    notices.push({ change: { type: "deleted", object: old, finalStateUnknown: true }, initial: false })
    notices.push({ change: { type: "added", object }, initial: false })
  }
}

/** A server that was restored gives the numbers of its old history away once more, to other contents. */
function isFromRestoredServer(delta: Delta): boolean {
  return delta.type === "replaced" && delta.wentBack
}

function isSameVersion({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return a === b || (a.resourceVersion !== undefined && a.resourceVersion === b.resourceVersion && a.uid === b.uid)
}
