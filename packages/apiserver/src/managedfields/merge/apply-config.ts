import { deepEqual, type Schema } from "@pilothouse/api"
import { byIdentity } from "../fieldpath/by-identity.ts"
import { difference, type FieldSet, intersection, isEmptySet, union, unionAll } from "../fieldpath/field-set.ts"
import { noChange } from "../typed/change.ts"
import { mergeValues } from "../typed/merge-values.ts"
import { removeItems } from "../typed/remove-items.ts"
import { ensureNamedFields } from "../typed/schema-of-set.ts"
import { toFieldSet } from "../typed/to-field-set.ts"
import { ConflictError, type Manager, type Managers, type Merge, type Versions } from "./managers.ts"
import { type ChangesOf, changesOf, filtered, reconciledSet, restAfter } from "./sets-after-write.ts"
import { awaited, type Steps } from "./steps.ts"

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
 * Returns the object and its managers after an apply (the Updater.Apply of structured-merge-diff): the configuration is merged into the live object, what the manager applied before and does not apply
 * now is removed unless another one owns it, and the manager owns exactly its configuration. Throws a ConflictError.
 */
export function* applyConfig(merge: Merge, options: ApplyConfigOptions): Steps<AppliedConfig> {
  const { live, config, apiVersion, manager, force } = options
  const schema = schemaOf(merge, apiVersion)
  const before = reconciled(merge, options.managers)
  const last = before.get(manager)
  const set = filtered(merge, apiVersion, toFieldSet(config, schema))
  const managers = new Map(before).set(manager, { apiVersion, applied: true, set })
  yield
  const merged = mergeValues(live, config, schema)
  yield
  const object = yield* prune(merge.versions, { merged, managers, manager, last })
  const changeIn = changesOf(merge, live, object, apiVersion)
  yield* awaited(changeIn(apiVersion))
  yield
  const after = yield* withoutChanges(changeIn, managers, manager, force)
  yield
  return { object: deepEqual(live, object) ? undefined : object, managers: after }
}

function schemaOf({ versions }: Merge, apiVersion: string): Schema {
  const schema = versions.schemaOf(apiVersion)
  if (schema === undefined) throw new Error(`expected a version of the kind that is served, found ${apiVersion}`)
  return schema
}

/** Each set as the present schema of its version has it. */
function reconciled({ versions }: Merge, managers: Managers): Managers {
  let changed: Map<string, Manager> | undefined
  for (const [identity, manager] of managers) {
    const schema = versions.schemaOf(manager.apiVersion)
    const set = schema && reconciledSet(schema, manager.set)
    if (set === manager.set) continue
    changed ??= new Map(managers)
    if (set === undefined) changed.delete(identity)
    else changed.set(identity, { ...manager, set })
  }
  return changed ?? managers
}

/** The managers, each other one without what the write changed or removed. Throws a ConflictError for changes that are not forced. */
function* withoutChanges(change: ChangesOf, managers: Managers, manager: string, force: boolean): Steps<Managers> {
  let left: Map<string, Manager> | undefined
  const conflicts = new Map<string, FieldSet>()
  for (const [identity, other] of managers) {
    const found = identity === manager ? noChange : change(other.apiVersion)
    const changed = found instanceof Promise ? yield* awaited(found) : found
    const { conflict, set } = restAfter(changed, other.set)
    if (!isEmptySet(conflict)) conflicts.set(identity, conflict)
    if (set === other.set && !isEmptySet(set)) continue
    left ??= new Map(managers)
    if (isEmptySet(set)) left.delete(identity)
    else left.set(identity, { ...other, set })
  }
  if (!force && conflicts.size > 0) throw new ConflictError(conflicts)
  return left ?? managers
}

interface PruneOptions {
  /** The live object with the configuration merged into it, in the version that is applied. */
  readonly merged: unknown
  /** With what the manager applies now. */
  readonly managers: Managers
  readonly manager: string
  /** What the manager owned before. */
  readonly last: Manager | undefined
}

/** The merged object without what the manager applied before, does not apply now, and no other manager owns. */
function* prune(versions: Versions, { merged, managers, manager, last }: PruneOptions): Steps<unknown> {
  const now = managers.get(manager)!
  if (last === undefined || isEmptySet(last.set)) return merged
  // Whatever the manager applied before it applies again: nothing can go.
  if (last.apiVersion === now.apiVersion && isEmptySet(difference(last.set, now.set))) return merged
  const schema = versions.schemaOf(last.apiVersion)
  if (schema === undefined) return merged
  const object = yield* converted(versions, merged, now.apiVersion, last.apiVersion)
  const whole: Versioned = { object, apiVersion: last.apiVersion, schema }
  const bare = { ...whole, object: removeItems(whole.object, schema, namedFields(schema, last.set)) }
  yield
  const owned = yield* withOwnedItems(versions, whole, bare, managers)
  const pruned = yield* withDanglingItems(versions, whole, owned, last.set)
  return yield* converted(versions, pruned, last.apiVersion, now.apiVersion)
}

interface Versioned {
  readonly object: unknown
  readonly apiVersion: string
  readonly schema: Schema
}

/** An object that nothing is left of is null here; a conversion gets an empty one. */
function* converted(versions: Versions, object: unknown, from: string, to: string): Steps<unknown> {
  return from === to ? object : yield* awaited(versions.convert(object ?? {}, to))
}

/** Puts back what any manager owns, the one that applies included; first in the version that the object is in, so that it can be converted. */
function* withOwnedItems(versions: Versions, whole: Versioned, bare: Versioned, managers: Managers): Steps<Versioned> {
  const byVersion = Map.groupBy(managers.values(), ({ apiVersion }) => apiVersion)
  const owned = new Map(Array.from(byVersion, ([apiVersion, some]) => [apiVersion, unionAll(some.map(({ set }) => set))]))
  let result = bare
  for (const apiVersion of new Set([whole.apiVersion, ...owned.keys()])) {
    const [schema, set] = [versions.schemaOf(apiVersion), owned.get(apiVersion)]
    if (schema === undefined || set === undefined) continue
    const all = yield* converted(versions, whole.object, whole.apiVersion, apiVersion)
    const rest = yield* converted(versions, result.object, result.apiVersion, apiVersion)
    yield
    const left = yield* namedSetOf(rest, schema)
    const kept = union(left, namedFields(schema, set))
    yield
    const before = yield* namedSetOf(all, schema)
    const gone = difference(before, kept)
    yield
    result = { object: removeItems(all, schema, gone), apiVersion, schema }
  }
  return result
}

/** Puts back what the manager did not own: items that no manager owns, or that came by updates. */
function* withDanglingItems(versions: Versions, whole: Versioned, pruned: Versioned, last: FieldSet): Steps<unknown> {
  const { object, apiVersion, schema } = whole
  const left = yield* namedSetOf(yield* converted(versions, pruned.object, pruned.apiVersion, apiVersion), schema)
  const taken = difference(yield* namedSetOf(object, schema), left)
  yield
  const gone = intersection(taken, namedFields(schema, last))
  yield
  return removeItems(object, schema, gone)
}

/** The same few sets of one apply are met several times. */
const namedFields = byIdentity((schema: Schema, set: FieldSet) => ensureNamedFields(set, schema))
const setOfObject = byIdentity((schema: Schema, object: object) => toFieldSet(object, schema))

/** The objects here are never changed. */
function* namedSetOf(object: unknown, schema: Schema): Steps<FieldSet> {
  const set = typeof object === "object" && object !== null ? setOfObject(schema, object) : toFieldSet(object, schema)
  yield
  const named = namedFields(schema, set)
  yield
  return named
}
