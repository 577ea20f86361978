import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { Change } from "../../cache/change.ts"
import type { Reader } from "./reader.ts"

/** Which changes of a kind enqueue keys, and how soon. */
export interface EnqueueOptions<T extends KubeObject> {
  /** Whether a change enqueues; every change does by default. `initial` is true for objects that were there at the start. */
  predicate?(change: Change<T>, initial: boolean): boolean
  /** Delay of the key, so that many changes lead to one reconcile. The earliest of several delays wins. */
  readonly delay?: Duration
}

/** Another kind whose changes enqueue keys of this controller. */
export interface Watch<T extends KubeObject = KubeObject> extends EnqueueOptions<T> {
  readonly of: Descriptor<T>
  /** The keys that a change of this object may concern. */
  map(object: T, read: Reader): readonly string[]
  /** The cause that the trace shows. */
  readonly reason: string
}

/** Creates a watch of another kind for `watches`: `watch(pods, "a pod changed", (pod) => [keyOf(pod)])`. */
export function watch<T extends KubeObject>(
  of: Descriptor<T>,
  reason: string,
  map: Watch<T>["map"],
  options: EnqueueOptions<T> = {},
): Watch {
  // A watch is used only with objects of its own descriptor; the list of watches does not carry the type.
  return { of, reason, map, ...options } as unknown as Watch
}
