import type { Descriptor, KubeObject } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"

/**
 * An index: finds objects without a scan. An object may have several values, or none.
 * An index is identified by its function, not by its name: two of one name coexist.
 */
export interface Index<T extends KubeObject = KubeObject> {
  readonly name: string
  readonly of: Descriptor<T>
  /** Pure, and must not throw: it is called again when the object is removed. */
  values(object: T): readonly string[]
}

/** Defines an index: `index(pods, "node", (pod) => [pod.spec?.nodeName ?? []].flat())`. Declared in `indexes`, read with `read.byIndex`. */
export function index<T extends KubeObject>(of: Descriptor<T>, name: string, values: (object: T) => readonly string[]): Index<T> {
  return { name, of, values }
}

/** Objects by the UID of their controller. */
export function byController<T extends KubeObject>(of: Descriptor<T>): Index<T> {
  // The same function for each call: all controllers of a kind share one index.
  return index(of, "controller-uid", controllerUid)
}

/** Pods by the name of their node; unscheduled pods are in no bucket. */
export const podsByNode = index(pods, "node-name", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []))

function controllerUid({ metadata }: KubeObject): readonly string[] {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller)
  return controller === undefined ? [] : [controller.uid]
}
