import { deepFreeze, type KubeObject } from "@pilothouse/api"
import { managedFieldsOf, setManagedFields } from "../managedfields/object-managed-fields.ts"
import type { List } from "./response.ts"

const apiVersion = "meta.k8s.io/v1"

/** An object without what its own kind says: for who only needs names, labels and owners. */
export function partialMetadata(object: KubeObject): KubeObject {
  return deepFreeze(setManagedFields({ kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata }, managedFieldsOf(object)))
}

export function partialMetadataList(list: List): unknown {
  // Upstream writes null for an empty one, and clients see it.
  const items = list.items.length === 0 ? null : list.items.map(partialMetadata)
  return { kind: "PartialObjectMetadataList", apiVersion, metadata: list.metadata, items }
}
