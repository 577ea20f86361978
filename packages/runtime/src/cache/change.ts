import type { KubeObject } from "@pilothouse/api"

/**
 * What happened to an object, as handlers are told it. The history of an object is consistent: added once, then updated, then deleted;
 * an update never changes the UID (an object that was made anew under the same name is told as deleted and added).
 */
export type Change<T extends KubeObject = KubeObject> =
  | { readonly type: "added"; readonly object: T }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  /** `finalStateUnknown`: the delete itself was missed, and the object is the last one that was seen. */
  | { readonly type: "deleted"; readonly object: T; readonly finalStateUnknown: boolean }
  /** Nothing happened: the handler asked to be reminded from time to time. */
  | { readonly type: "resync"; readonly object: T }

/** A change on its way to a handler. */
export interface Notice<T extends KubeObject = KubeObject> {
  readonly change: Change<T>
  /** True for what is no news: it was there before the handler or the informer, or it is a resync. It may wait behind what is. */
  readonly initial: boolean
}
