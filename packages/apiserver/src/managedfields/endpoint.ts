import { formatTime, type KubeObject, type Schema } from "@pilothouse/api"
import { difference, type FieldSet, isEmptySet, setOfPaths, union } from "./fieldpath/index.ts"
import type { Managed } from "./managers.ts"
import type { Manager, Merge } from "./merge/index.ts"
import { createdSet } from "./typed/index.ts"

/** The endpoint that a request writes through: what field ownership depends on beside the objects. */
export interface FieldManagerEndpoint {
  readonly apiVersion: string
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  /** "" for the object itself. */
  readonly subresource: string
  readonly schema: Schema
  /** The object as Go writes it, with nulls and empty values: a configuration is compared with that. */
  goForm(object: KubeObject): unknown
  /** With the reset fields of this endpoint as its filter. */
  readonly merge: Merge
  /** Fields of the object that a write through this endpoint does not change. */
  readonly resetRoots: readonly string[]
}

/** Who writes, and when. */
export interface FieldWriter {
  readonly manager: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Never owned: they name the object, or the server alone writes them. */
export const unowned = setOfPaths([
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"].map(
    (name) => ["f:metadata", `f:${name}`],
  ),
])

/** Adds paths to a manager that updates, and sets its time. */
export function withOwner({ managers, times }: Managed, key: string, set: FieldSet, now: number, apiVersion: string): Managed {
  const owned = managers.get(key)
  // Most writers change the same fields again and again: the set that is shared stays.
  const manager: Manager = { apiVersion, applied: false, set: owned === undefined ? set : withPaths(owned.set, set) }
  return { managers: new Map(managers).set(key, manager), times: new Map(times).set(key, formatTime(now)) }
}

function withPaths(owned: FieldSet, set: FieldSet): FieldSet {
  return isEmptySet(difference(set, owned)) ? owned : union(set, owned)
}

/** By the set that a create makes, which is shared by all objects of the same shape. */
const createdByEndpoint = new WeakMap<FieldManagerEndpoint, WeakMap<FieldSet, FieldSet>>()

/** Returns what the manager of a create owns of the object. */
export function ownedByCreate(endpoint: FieldManagerEndpoint, object: object): FieldSet {
  const set = createdSet(object, endpoint.schema)
  let known = createdByEndpoint.get(endpoint)
  if (known === undefined) createdByEndpoint.set(endpoint, (known = new WeakMap()))
  const owned = known.get(set) ?? difference(endpoint.merge.filter?.(endpoint.apiVersion)?.(set) ?? set, unowned)
  known.set(set, owned)
  return owned
}
