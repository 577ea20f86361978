// Who owns what after a write: the algorithm of server-side apply, over all versions of one kind.
import { deepEqual, type Schema } from "@pilothouse/api"
import { difference, emptySet, type FieldSet, intersection, isEmptySet, union } from "../fieldpath/field-set.ts"
import { type Comparison, compare, noChange } from "../typed/compare.ts"
import { mergeValues } from "../typed/merge-values.ts"
import { reconcileSet } from "../typed/schema-of-set.ts"
import { toFieldSet } from "../typed/to-field-set.ts"
import { ConflictError, type Manager, type Managers, type Merge } from "./managers.ts"
import { prune } from "./prune.ts"

export interface UpdateManagersOptions {
  /** The object before, and after. */
  readonly live: unknown
  readonly next: unknown
  /** Of both objects. */
  readonly apiVersion: string
  readonly managers: Managers
  /** The identity of the manager that writes. */
  readonly manager: string
}

/** The managers after a write that is no apply: the writer owns what it changed, and no other manager does. */
export function updateManagers(merge: Merge, { live, next, apiVersion, managers, manager }: UpdateManagersOptions): Managers {
  const change = changesOf(merge, live, next, apiVersion)
  const others = withoutChanges(change, reconciled(merge, managers), manager, true)
  const { removed, modified, added } = change(apiVersion) ?? noChange
  const before = others.get(manager)?.set ?? emptySet
  const set = filtered(merge, apiVersion, union(union(difference(before, removed), modified), added))
  return withManager(others, manager, { apiVersion, applied: false, set })
}

export interface ApplyConfigOptions {
  readonly live: unknown
  /** What the client applies: it has passed `typedErrors`. */
  readonly config: unknown
  /** Of both. */
  readonly apiVersion: string
  readonly managers: Managers
  /** The identity of the manager that applies. */
  readonly manager: string
  /** Whether fields that others own are taken from them instead of being a conflict. */
  readonly force: boolean
}

export interface AppliedConfig {
  /** Undefined when the live object is what was applied already. */
  readonly object: unknown
  readonly managers: Managers
}

/**
 * The object and its managers after an apply: the configuration is merged into the live object, what the manager applied before and does not apply
 * now is removed unless another one owns it, and the manager owns exactly its configuration. Throws a ConflictError.
 */
export function applyConfig(merge: Merge, options: ApplyConfigOptions): AppliedConfig {
  const { live, config, apiVersion, manager, force } = options
  const schema = schemaOf(merge, apiVersion)
  const before = reconciled(merge, options.managers)
  const last = before.get(manager)
  const set = filtered(merge, apiVersion, toFieldSet(config, schema))
  const managers = new Map(before).set(manager, { apiVersion, applied: true, set })
  const object = prune(merge.versions, { merged: mergeValues(live, config, schema), managers, manager, last })
  const after = withoutChanges(changesOf(merge, live, object, apiVersion), managers, manager, force)
  return { object: deepEqual(live, object) ? undefined : object, managers: after }
}

function schemaOf({ versions }: Merge, apiVersion: string): Schema {
  const schema = versions.schemaOf(apiVersion)
  if (schema === undefined) throw new Error(`expected a version of the kind that is served, found ${apiVersion}`)
  return schema
}

/** Each set as the present schema of its version has it. */
function reconciled({ versions }: Merge, managers: Managers): Managers {
  return new Map(
    Array.from(managers).flatMap(([identity, manager]) => {
      const schema = versions.schemaOf(manager.apiVersion)
      if (schema === undefined) return []
      const set = reconciledSet(manager.set, schema)
      return [[identity, set === manager.set ? manager : { ...manager, set }] as const]
    }),
  )
}

/** By schema: sets are shared by many objects, and are as the schema has them nearly always. */
const reconciledSets = new WeakMap<Schema, WeakMap<FieldSet, FieldSet>>()

function reconciledSet(set: FieldSet, schema: Schema): FieldSet {
  let known = reconciledSets.get(schema)
  if (known === undefined) reconciledSets.set(schema, (known = new WeakMap()))
  const found = known.get(set)
  if (found !== undefined) return found
  const result = reconcileSet(set, schema) ?? set
  known.set(set, result)
  return result
}

/** What a write changed, as a version of the object has it; undefined for a version that is not there. */
type ChangesOf = (apiVersion: string) => Comparison | undefined

function changesOf(merge: Merge, old: unknown, next: unknown, ownVersion: string): ChangesOf {
  const known = new Map<string, Comparison | undefined>()
  const inVersion = (object: unknown, apiVersion: string) =>
    apiVersion === ownVersion ? object : merge.versions.convert(object, apiVersion)
  return (apiVersion) => {
    if (known.has(apiVersion)) return known.get(apiVersion)
    const schema = merge.versions.schemaOf(apiVersion)
    const change = schema && (old === next ? noChange : compare(inVersion(old, apiVersion), inVersion(next, apiVersion), schema))
    const counted = change && filteredChange(merge, apiVersion, change)
    known.set(apiVersion, counted)
    return counted
  }
}

function filteredChange(merge: Merge, apiVersion: string, change: Comparison): Comparison {
  const filter = merge.filter?.(apiVersion)
  if (filter === undefined || change === noChange) return change
  return { removed: filter(change.removed), modified: filter(change.modified), added: filter(change.added) }
}

function filtered(merge: Merge, apiVersion: string, set: FieldSet): FieldSet {
  return merge.filter?.(apiVersion)?.(set) ?? set
}

/** The managers, each other one without what the write changed or removed. Throws a ConflictError for changes that are not forced. */
function withoutChanges(change: ChangesOf, managers: Managers, manager: string, force: boolean): Managers {
  const left = new Map<string, Manager>()
  const conflicts = new Map<string, FieldSet>()
  const touched = new Map<Comparison, FieldSet>()
  for (const [identity, other] of managers) {
    const changed = change(other.apiVersion)
    if (identity === manager) left.set(identity, other)
    else if (changed !== undefined) {
      // Once for all managers of a version: there may be thousands of both.
      const fields = touched.get(changed) ?? union(changed.modified, changed.added)
      touched.set(changed, fields)
      const conflict = intersection(other.set, fields)
      if (!isEmptySet(conflict)) conflicts.set(identity, conflict)
      const set = difference(difference(other.set, conflict), changed.removed)
      left.set(identity, set === other.set ? other : { ...other, set })
    }
  }
  if (!force && conflicts.size > 0) throw new ConflictError(conflicts)
  return new Map([...left].filter(([, { set }]) => !isEmptySet(set)))
}

function withManager(managers: Managers, identity: string, manager: Manager): Managers {
  const result = new Map(managers)
  if (isEmptySet(manager.set)) result.delete(identity)
  else result.set(identity, manager)
  return result
}
