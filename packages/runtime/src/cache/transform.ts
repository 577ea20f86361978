import { type Descriptor, deepFreeze, type KubeObject, type ObjectMeta } from "@pilothouse/api"
import { type Interner, interning } from "./interning.ts"

export interface TransformOptions<T extends KubeObject> {
  /** Drop managedFields: a fifth to a quarter of most objects, and nobody reads them. True unless told otherwise. */
  readonly dropManagedFields?: boolean
  /** Where the strings that many objects share are kept once; not done without it. */
  readonly interner?: Interner
  /** Keep apiVersion, kind and metadata only: enough to count, to own and to collect. */
  readonly metadataOnly?: boolean
  /** What else to do with each object: gives what to keep. Must be idempotent, and must not change an object that is frozen. */
  readonly transform?: (object: T) => T
  /** Freeze what came over the wire, so that a test that changes a cached object fails where it does. */
  readonly freeze?: boolean
}

/**
 * What happens to an object once, on its way into a cache.
 *
 * An object from the wire is fresh and nobody else has it: it is changed in place. One that came from a server in this process is frozen and
 * shared with its store: a copy would cost what the sharing saves, so it stays as it is, managedFields and all.
 */
export function objectTransform<T extends KubeObject>(of: Descriptor<T>, options: TransformOptions<T>): (object: T) => T {
  const { dropManagedFields = true, interner, metadataOnly, transform, freeze } = options
  const intern = interner && interning(of.kind, interner)
  return (object) => {
    const fresh = !Object.isFrozen(object.metadata)
    if (fresh && dropManagedFields) withoutManagedFields(object)
    if (fresh) intern?.(object)
    const kept = metadataOnly ? withMetadataOnly(object) : object
    const made = transform === undefined ? kept : transform(kept)
    return freeze ? deepFreeze(made) : made
  }
}

/** Not `delete`: that turns the metadata into a dictionary, which is slow to read and takes 0.7 KiB more per pod than this (measured). */
function withoutManagedFields(object: { metadata: ObjectMeta }): void {
  if (object.metadata.managedFields === undefined) return
  const { managedFields: _, ...metadata } = object.metadata
  object.metadata = metadata
}

function withMetadataOnly<T extends KubeObject>({ apiVersion, kind, metadata }: T): T {
  // Whoever asks for metadata only reads no more of the type.
  return { apiVersion, kind, metadata } as T
}
