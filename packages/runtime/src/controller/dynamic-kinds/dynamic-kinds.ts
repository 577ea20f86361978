import type { Descriptor } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { Index } from "../../cache/index-definition.ts"
import type { Watch } from "../controller.ts"

/**
 * Kinds that a controller finds by asking the server what it has: all that can be collected, or counted, custom ones too.
 *
 * The server is asked again and again. A resource that came is followed from then on; of one that went (or is no longer wanted) every object is
 * told as deleted with `finalStateUnknown`, and its cache ends. A group that does not answer changes nothing: what is known of it stays.
 * The controller begins when the caches of all these are full, but waits no longer than 30 s for them: one kind that cannot be listed
 * must not hold up the others. Its cache goes on trying; Reader.kinds() says of each whether it is full.
 */
export interface DynamicKinds {
  /** How often the server is asked; every 30 s unless told otherwise. */
  readonly every?: Duration
  /**
   * Whether to follow a resource. Asked only about those that can be listed and watched, and of several versions only about one: the one that
   * is followed already, or else the one that the server prefers.
   */
  includes(of: Descriptor): boolean
  /** What their changes wake, as in ControllerSpec.watches; asked once for each resource that is followed. */
  watches(of: Descriptor): readonly Watch[]
  indexes?(of: Descriptor): readonly Index[]
  /** Told when the server, or one of its groups, did not say what it has. */
  failed?(): void
  /** Fetches and keeps no more than apiVersion, kind and metadata; of all, or of some. A cache of whole objects that is there already is shared all the same. */
  readonly metadataOnly?: boolean | ((of: Descriptor) => boolean)
}

/** A discovered resource that is followed. */
export interface DynamicKind {
  readonly of: Descriptor
  /** Everything the server has of it is in the cache. False: it was found just now, or cannot be listed. */
  readonly hasSynced: boolean
}
