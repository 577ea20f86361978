import type { Schema } from "@pilothouse/api"
import { difference, type FieldSet, intersection, isEmptySet, union, unionAll } from "../fieldpath/field-set.ts"
import { removeItems } from "../typed/remove-items.ts"
import { ensureNamedFields } from "../typed/schema-of-set.ts"
import { toFieldSet } from "../typed/to-field-set.ts"
import type { Manager, Managers, Versions } from "./managers.ts"

export interface PruneOptions {
  /** The live object with the configuration merged into it, in the version that is applied. */
  readonly merged: unknown
  /** With what the manager applies now. */
  readonly managers: Managers
  readonly manager: string
  /** What the manager owned before. */
  readonly last: Manager | undefined
}

/** The merged object without what the manager applied before, does not apply now, and no other manager owns. */
export function prune(versions: Versions, { merged, managers, manager, last }: PruneOptions): unknown {
  const now = managers.get(manager)!
  if (last === undefined || isEmptySet(last.set)) return merged
  // Whatever the manager applied before it applies again: nothing can go.
  if (last.apiVersion === now.apiVersion && isEmptySet(difference(last.set, now.set))) return merged
  const schema = versions.schemaOf(last.apiVersion)
  if (schema === undefined) return merged
  const whole: Versioned = { object: converted(versions, merged, now.apiVersion, last.apiVersion), apiVersion: last.apiVersion, schema }
  const bare = { ...whole, object: removeItems(whole.object, schema, ensureNamedFields(last.set, schema)) }
  const owned = withOwnedItems(versions, whole, bare, managers)
  const pruned = withDanglingItems(versions, whole, owned, last.set)
  return converted(versions, pruned, last.apiVersion, now.apiVersion)
}

interface Versioned {
  readonly object: unknown
  readonly apiVersion: string
  readonly schema: Schema
}

/** An object that nothing is left of is null here; a conversion gets an empty one. */
function converted(versions: Versions, object: unknown, from: string, to: string): unknown {
  return from === to ? object : versions.convert(object ?? {}, to)
}

/** Puts back what any manager owns, the one that applies included; first in the version that the object is in, so that it can be converted. */
function withOwnedItems(versions: Versions, whole: Versioned, bare: Versioned, managers: Managers): Versioned {
  const byVersion = Map.groupBy(managers.values(), ({ apiVersion }) => apiVersion)
  const owned = new Map(Array.from(byVersion, ([apiVersion, some]) => [apiVersion, unionAll(some.map(({ set }) => set))]))
  let result = bare
  for (const apiVersion of new Set([whole.apiVersion, ...owned.keys()])) {
    const [schema, set] = [versions.schemaOf(apiVersion), owned.get(apiVersion)]
    if (schema === undefined || set === undefined) continue
    const all = converted(versions, whole.object, whole.apiVersion, apiVersion)
    const rest = converted(versions, result.object, result.apiVersion, apiVersion)
    const kept = union(namedSetOf(rest, schema), ensureNamedFields(set, schema))
    result = { object: removeItems(all, schema, difference(namedSetOf(all, schema), kept)), apiVersion, schema }
  }
  return result
}

/** Puts back what the manager did not own: items that no manager owns, or that came by updates. */
function withDanglingItems(versions: Versions, whole: Versioned, pruned: Versioned, last: FieldSet): unknown {
  const { object, apiVersion, schema } = whole
  const left = namedSetOf(converted(versions, pruned.object, pruned.apiVersion, apiVersion), schema)
  const gone = intersection(difference(namedSetOf(object, schema), left), ensureNamedFields(last, schema))
  return removeItems(object, schema, gone)
}

function namedSetOf(object: unknown, schema: Schema): FieldSet {
  return ensureNamedFields(toFieldSet(object, schema), schema)
}
