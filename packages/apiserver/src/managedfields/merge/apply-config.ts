import { deepEqual, type Schema } from "@pilothouse/api"
import { type FieldSet, isEmptySet } from "../fieldpath/field-set.ts"
import { noChange } from "../typed/change.ts"
import { mergeValues } from "../typed/merge-values.ts"
import { toFieldSet } from "../typed/to-field-set.ts"
import { ConflictError, type Manager, type Managers, type Merge } from "./managers.ts"
import { prune } from "./prune.ts"
import { type ChangesOf, changesOf, filtered, reconciledSet, restAfter } from "./sets-after-write.ts"

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
function withoutChanges(change: ChangesOf, managers: Managers, manager: string, force: boolean): Managers {
  let left: Map<string, Manager> | undefined
  const conflicts = new Map<string, FieldSet>()
  for (const [identity, other] of managers) {
    const changed = identity === manager ? noChange : change(other.apiVersion)
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
