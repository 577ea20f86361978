import type { KubeObject } from "@pilothouse/api"

/**
 * What happened to an object, as handlers receive it. The history of an object is consistent: added once, then updated, then deleted;
 * an update never changes the UID (an object that was created again under the same name is delivered as deleted and added).
 */
export type Change<T extends KubeObject = KubeObject> =
  | { readonly type: "added"; readonly object: T }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  /** `finalStateUnknown`: the delete itself was missed, and the object is the last known state. */
  | { readonly type: "deleted"; readonly object: T; readonly finalStateUnknown: boolean }
  /** Nothing happened: the handler has a resync interval. */
  | { readonly type: "resync"; readonly object: T }

/** A change on its way to a handler. */
export interface Notice<T extends KubeObject = KubeObject> {
  readonly change: Change<T>
  /** True for objects that were there before the handler or the informer, and for resyncs: they may wait behind live changes. */
  readonly initial: boolean
}
