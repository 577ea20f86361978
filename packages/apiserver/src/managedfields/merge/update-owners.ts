import { emptySet, type FieldSet, isEmptySet } from "../fieldpath/field-set.ts"
import type { Merge } from "./managers.ts"
import { changedFields, changesOf, reconciledSet, restAfter } from "./sets-after-write.ts"
import { awaited, type Steps } from "./steps.ts"

/** A manager of some fields, whatever else is known of it. */
export interface Owner {
  /** The version of the object that the paths are of. */
  readonly apiVersion: string
  readonly fieldsV1: FieldSet
}

/** A write that is no apply, and the owners of fields before it: the input of structured-merge-diff's Update. */
export interface OwnersUpdate<O extends Owner> {
  /** The object before, and after. */
  readonly live: unknown
  readonly next: unknown
  /** Of both objects. */
  readonly apiVersion: string
  readonly owners: readonly O[]
  /** Counts as modified where both objects read the same. */
  readonly modified?: FieldSet | undefined
  /** The same owner with other fields. */
  withFields(owner: O, fields: FieldSet): O
}

export interface UpdatedOwners<O extends Owner> {
  /** Without what the write changed; the same list when it took nothing from any. */
  readonly owners: readonly O[]
  /** What the write changed, which belongs to the writer. */
  readonly changed: FieldSet
}

/** Takes what a write that is no apply changed or removed from all owners, its writer among them. */
export function* updateOwners<O extends Owner>(merge: Merge, update: OwnersUpdate<O>): Steps<UpdatedOwners<O>> {
  const { live, next, apiVersion, owners, modified } = update
  const changeIn = changesOf(merge, live, next, apiVersion, modified)
  const change = yield* awaited(changeIn(apiVersion))
  yield
  let left: O[] | undefined
  for (let at = 0; at < owners.length; at++) {
    const owner = owners[at]!
    const schema = merge.versions.schemaOf(owner.apiVersion)
    const found = schema === undefined ? undefined : changeIn(owner.apiVersion)
    const changed = found instanceof Promise ? yield* awaited(found) : found
    const fields = schema === undefined ? emptySet : restAfter(changed, reconciledSet(schema, owner.fieldsV1)).set
    if (fields === owner.fieldsV1 && !isEmptySet(fields)) left?.push(owner)
    else {
      left ??= owners.slice(0, at)
      if (!isEmptySet(fields)) left.push(update.withFields(owner, fields))
      yield
    }
  }
  return { owners: left ?? owners, changed: change === undefined ? emptySet : changedFields(change) }
}
