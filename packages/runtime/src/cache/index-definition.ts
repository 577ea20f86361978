import type { Descriptor, KubeObject } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"

/**
 * A named way to find objects without looking at all of them. An object may stand under several values, or none.
 * An index is its function, not its name: two of one name live side by side, and each answers for itself.
 */
export interface Index<T extends KubeObject = KubeObject> {
  readonly name: string
  readonly of: Descriptor<T>
  /** Pure, and must not throw: what it says of an object is asked again when the object leaves. */
  values(object: T): readonly string[]
}

/** Names a way to find objects: `index(pods, "node", (pod) => [pod.spec?.nodeName ?? []].flat())`. Declare it in `indexes`, ask with `read.byIndex`. */
export function index<T extends KubeObject>(of: Descriptor<T>, name: string, values: (object: T) => readonly string[]): Index<T> {
  return { name, of, values }
}

/** Objects by the UID of their controller. */
export function byController<T extends KubeObject>(of: Descriptor<T>): Index<T> {
  // The function itself, not a new one per call: all the controllers of a kind share one index.
  return index(of, "controller-uid", controllerUid)
}

/** Pods by the name of their node; those that have none stand nowhere. */
export const podsByNode = index(pods, "node-name", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []))

function controllerUid({ metadata }: KubeObject): readonly string[] {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller)
  return controller === undefined ? [] : [controller.uid]
}
