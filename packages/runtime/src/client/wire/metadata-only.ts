import { apiVersionOf, type Descriptor, type KubeObject } from "@pilothouse/api"
import type { HeaderMap } from "@pilothouse/seams"
import type { WatchEvent } from "./watch-stream.ts"

/** A server that does not support it sends whole objects, of which callers use the metadata only. */
export function metadataHeaders(as: "PartialObjectMetadata" | "PartialObjectMetadataList"): HeaderMap {
  return { accept: `application/json;as=${as};g=meta.k8s.io;v=v1,application/json` }
}

/** Sets apiVersion and kind of the resource: on the wire the kind is PartialObjectMetadata, which cannot be deleted or patched. */
export function typedMetadata<T extends KubeObject>(of: Descriptor<T>, object: T): T {
  return object?.kind === "PartialObjectMetadata" ? { ...object, apiVersion: apiVersionOf(of), kind: of.kind } : object
}

/**
 * Gives the object of a watch event the apiVersion and kind of its resource in place of PartialObjectMetadata's; bookmarks and errors
 * pass as they are.
 */
export function metadataEvent<T extends KubeObject>(of: Descriptor<T>, event: WatchEvent<T>): WatchEvent<T> {
  if (event.type === "BOOKMARK" || event.type === "ERROR") return event
  return { type: event.type, object: typedMetadata(of, event.object) }
}
