import { apiVersionOf, type Descriptor, type KubeObject } from "@pilothouse/api"
import type { HeaderMap } from "@pilothouse/seams"
import type { WatchEvent } from "./watch-stream.ts"

/** A server that cannot give metadata alone sends whole objects: whoever keeps only the metadata does not mind. */
export function metadataHeaders(as: "PartialObjectMetadata" | "PartialObjectMetadataList"): HeaderMap {
  return { accept: `application/json;as=${as};g=meta.k8s.io;v=v1,application/json` }
}

/** Says of metadata whose it is: on the wire its kind is PartialObjectMetadata, which nobody could delete or patch. */
export function typedMetadata<T extends KubeObject>(of: Descriptor<T>, object: T): T {
  return object?.kind === "PartialObjectMetadata" ? { ...object, apiVersion: apiVersionOf(of), kind: of.kind } : object
}

export function metadataEvent<T extends KubeObject>(of: Descriptor<T>, event: WatchEvent<T>): WatchEvent<T> {
  if (event.type === "BOOKMARK" || event.type === "ERROR") return event
  return { type: event.type, object: typedMetadata(of, event.object) }
}
