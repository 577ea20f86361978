import type { Descriptor } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { Index } from "../../cache/index-definition.ts"
import type { Watch } from "./watch.ts"

/**
 * Kinds that a controller finds by discovery, including custom ones: all that can be collected, or counted.
 *
 * Discovery is repeated, and where CustomResourceDefinitions are among the kinds, at once when one of them changes. A new resource is watched from then on; of one that was removed (or is no longer included) every object is
 * delivered as deleted with `finalStateUnknown`, and its cache ends. A group that does not answer changes nothing: its kinds stay.
 * The controller starts when all these caches have synced, but waits at most 30 s for them: one kind that cannot be listed
 * must not block the others. Its cache keeps trying; Reader.kinds() says of each whether it has synced.
 */
export interface DynamicKinds {
  /** Interval of discovery; 30 s by default. */
  readonly every?: Duration
  /**
   * Whether to watch a resource. Called only for resources that can be listed and watched, and for one of several versions: the one that
   * is watched already, or else the one that the server prefers.
   */
  includes(of: Descriptor): boolean
  /** The watches of a resource, as in ControllerSpec.watches; called once for each watched resource. */
  watches(of: Descriptor): readonly Watch[]
  indexes?(of: Descriptor): readonly Index[]
  /** Called when discovery of the server, or of one of its groups, failed. */
  failed?(): void
  /** Fetches apiVersion, kind and metadata only, of all or of some kinds. An existing cache of whole objects is shared instead. */
  readonly metadataOnly?: boolean | ((of: Descriptor) => boolean)
}

/** A discovered resource that is watched. */
export interface DynamicKind {
  readonly of: Descriptor
  /** Whether its cache has synced. False: it was just discovered, or cannot be listed. */
  readonly hasSynced: boolean
}
