// What a write leaves to the sets of managers. Sets and changes are shared by objects of one shape: what was found for one is looked up for the next.
import type { Schema } from "@pilothouse/api"
import { byIdentity } from "../fieldpath/by-identity.ts"
import type { FieldFilter } from "../fieldpath/field-filter.ts"
import { difference, emptySet, type FieldSet, intersection, isEmptySet, union } from "../fieldpath/field-set.ts"
import { type Comparison, noChange } from "../typed/change.ts"
import { compare } from "../typed/compare.ts"
import { reconcileSet } from "../typed/schema-of-set.ts"
import type { Merge } from "./managers.ts"

/** What a write changed, as a version of the object has it; undefined for a version that is not there. */
export type ChangesOf = (apiVersion: string) => Comparison | undefined | Promise<Comparison | undefined>

/** Compares an object of a version before and after a write, once for each version that is needed. `modified` counts as such in its own version. */
export function changesOf(merge: Merge, old: unknown, next: unknown, ownVersion: string, modified: FieldSet = emptySet): ChangesOf {
  let own: Comparison | undefined
  let others: Map<string, ReturnType<ChangesOf>> | undefined
  return (apiVersion) => {
    if (apiVersion === ownVersion) return (own ??= changeIn(merge, old, next, apiVersion, modified))
    others ??= new Map()
    if (!others.has(apiVersion)) others.set(apiVersion, converted(merge, old, next, apiVersion))
    return others.get(apiVersion)
  }
}

function converted(merge: Merge, old: unknown, next: unknown, apiVersion: string): ReturnType<ChangesOf> {
  const { schemaOf, convert } = merge.versions
  if (old === next || schemaOf(apiVersion) === undefined) return changeIn(merge, old, old, apiVersion)
  const [before, after] = [convert(old, apiVersion), convert(next, apiVersion)]
  if (!(before instanceof Promise || after instanceof Promise)) return changeIn(merge, before, after, apiVersion)
  return Promise.all([before, after]).then((both) => changeIn(merge, ...both, apiVersion))
}

function changeIn(merge: Merge, old: unknown, next: unknown, apiVersion: string, modified = emptySet): Comparison | undefined {
  const schema = merge.versions.schemaOf(apiVersion)
  const found = schema && (old === next ? noChange : compare(old, next, schema))
  const change = found === undefined || isEmptySet(modified) ? found : { ...found, modified: union(found.modified, modified) }
  const filter = merge.filter?.(apiVersion)
  return filter === undefined || change === undefined || change === noChange ? change : changeThrough(filter, change)
}

const changeThrough = byIdentity((filter: FieldFilter, change: Comparison): Comparison => {
  const [removed, modified, added] = [filter(change.removed), filter(change.modified), filter(change.added)]
  return [removed, modified, added].every(isEmptySet) ? noChange : { removed, modified, added }
})

/** Returns what of a set counts at the endpoint. */
export function filtered(merge: Merge, apiVersion: string, set: FieldSet): FieldSet {
  const filter = merge.filter?.(apiVersion)
  return filter === undefined ? set : setThrough(filter, set)
}

const setThrough = byIdentity((filter: FieldFilter, set: FieldSet) => filter(set))

/** Returns a set as the present schema of its version has it. */
export const reconciledSet: (schema: Schema, set: FieldSet) => FieldSet = byIdentity((schema, set) => reconcileSet(set, schema) ?? set)

/** What a write leaves to a manager that did not make it. */
export interface Rest {
  /** The fields of the manager that the write changes. */
  readonly conflict: FieldSet
  /** What is neither changed nor removed. */
  readonly set: FieldSet
}

/** Returns what is left of the fields of a manager; `change` is undefined where its version is not there, and nothing is. */
export function restAfter(change: Comparison | undefined, owned: FieldSet): Rest {
  if (change === noChange) return { conflict: emptySet, set: owned }
  return change === undefined ? nothingLeft : knownRest(change, owned)
}

const nothingLeft: Rest = { conflict: emptySet, set: emptySet }

const knownRest = byIdentity((change: Comparison, owned: FieldSet): Rest => {
  const conflict = intersection(owned, changedFields(change))
  return { conflict, set: difference(difference(owned, conflict), change.removed) }
})

/** Returns what the writer of a change owns of it. */
export function changedFields({ modified, added }: Comparison): FieldSet {
  return joined(modified, added)
}

/** Once for all managers: there may be thousands of both. */
const joined = byIdentity(union)
