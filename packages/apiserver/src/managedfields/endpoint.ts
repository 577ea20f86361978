import { type KubeObject, type Schema } from "@pilothouse/api"
import { byIdentity, difference, type FieldSet, isEmptySet, recursiveDifference, setOfPaths, union } from "./fieldpath/index.ts"
import type { Merge } from "./merge/index.ts"
import { createdSet, modifiedInMemory, typedErrors, type ValuePath } from "./typed/index.ts"

/** The endpoint that a request writes through: what field ownership depends on beside the objects. */
export interface FieldManagerEndpoint {
  readonly apiVersion: string
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  /** "" for the object itself. */
  readonly subresource: string
  readonly schema: Schema
  /** Whether the schema may have changed since an object was stored: it need not fit any more. */
  readonly hasOwnSchema: boolean
  /** The object as Go writes it, with nulls and empty values: a configuration is compared with that. */
  goForm(object: KubeObject): unknown
  /** With the reset fields of this endpoint as its filter. */
  readonly merge: Merge
  /** Fields of the object that a write through this endpoint does not change. */
  readonly resetRoots: readonly string[]
}

/** The manager that writes, and when. */
export interface FieldWriter {
  readonly manager: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Never owned: they name the object, or the server alone writes them. */
const unowned = setOfPaths([["f:apiVersion"], ["f:kind"], ["f:metadata"]])
const unownedMetadata = setOfPaths(
  ["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"].map(
    (name) => [`f:${name}`],
  ),
)

const ownedThrough = byIdentity((endpoint: FieldManagerEndpoint, set: FieldSet) =>
  ownable(endpoint.merge.filter?.(endpoint.apiVersion)?.(set) ?? set),
)

/** Returns a set without what is never owned. */
export function ownable(set: FieldSet): FieldSet {
  return withoutPaths(unowned, set)
}

/** Objects that differ elsewhere share what is left of their metadata. */
const withoutPaths = byIdentity((paths: FieldSet, set: FieldSet) => {
  const metadata = set["f:metadata"]
  const left = metadata && withoutElements(unownedMetadata, metadata)
  if (left === metadata) return difference(set, paths)
  const rest = recursiveDifference(set, paths)
  return left === undefined || isEmptySet(left) ? rest : union(rest, { "f:metadata": left })
})

const withoutElements = byIdentity((elements: FieldSet, node: FieldSet) => difference(node, elements))

/** Returns what the manager of a create owns of the object; `variants` lead to what Go's memory has and JSON has not. */
export function ownedByCreate(endpoint: FieldManagerEndpoint, object: object, variants: readonly ValuePath[] = []): FieldSet {
  const created = createdSet(object, endpoint.schema)
  return ownedThrough(endpoint, variants.length === 0 ? created : union(created, modifiedInMemory(object, endpoint.schema, variants)))
}

/** Returns where an object does not fit the schema that it is compared by; nothing for built-in kinds, whose schema stays. */
export function mismatches({ hasOwnSchema, schema }: FieldManagerEndpoint, object: object): readonly string[] {
  return hasOwnSchema ? typedErrors(object, schema, { allowDuplicates: true }) : []
}
