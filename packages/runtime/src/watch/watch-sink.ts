import type { KubeObject } from "@pilothouse/api"

/** Where a watcher puts what it learns, in the order it happened. */
export interface WatchSink<T extends KubeObject> {
  /** The whole truth at a resourceVersion, which may be older than what was known: a restored server starts again from lower ones. */
  replace(objects: readonly T[], resourceVersion: string): void
  /** An object is new, or has changed. */
  upsert(object: T, resourceVersion: string): void
  /** An object is gone; this is its last state. */
  remove(object: T, resourceVersion: string): void
  /** Nothing else happened up to this resourceVersion. */
  reached(resourceVersion: string): void
  /** Undefined while there is room; else the watcher reads nothing more until the promise ends. */
  room?(): Promise<void> | undefined
}
