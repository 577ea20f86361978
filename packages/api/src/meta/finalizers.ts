import type { KubeObject } from "./object.ts"

/** Reports whether the object has the finalizer. */
export function hasFinalizer(object: Pick<KubeObject, "metadata">, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false
}

/** The object with the finalizer at the end of its list; the same object when it is there already. */
export function withFinalizer<T extends Pick<KubeObject, "metadata">>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object
  return { ...object, metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] } }
}

/** The object without the finalizer; the same object when it is not there. An emptied list goes too, as it does on the server. */
export function withoutFinalizer<T extends Pick<KubeObject, "metadata">>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object
  const { finalizers = [], ...metadata } = object.metadata
  const left = finalizers.filter((other) => other !== finalizer)
  return { ...object, metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left } }
}
