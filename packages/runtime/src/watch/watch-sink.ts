import type { KubeObject } from "@pilothouse/api"

/** Receives the events of a watcher, in order. */
export interface WatchSink<T extends KubeObject> {
  /** The complete state at a resourceVersion, which may be older than the known one: a restored server starts again from lower ones. */
  replace(objects: readonly T[], resourceVersion: string): void
  /** An object is new, or has changed. */
  upsert(object: T, resourceVersion: string): void
  /** An object was deleted; this is its last state. */
  remove(object: T, resourceVersion: string): void
  /** Nothing else happened up to this resourceVersion. */
  reached(resourceVersion: string): void
  /** Undefined while there is room; otherwise the watcher stops reading until the promise resolves. */
  room?(): Promise<void> | undefined
}
