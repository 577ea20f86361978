import { compareEntries } from "./entry-order.ts"
import { byIdentity, difference, type FieldSet, isEmptySet, union } from "./fieldpath/index.ts"
import type { ManagedFields } from "./object-managed-fields.ts"
import { sharedSet } from "./shared-set.ts"

/** What tells one manager from another. The apiVersion counts for updates only: an applier stays the same when it moves to another version. */
export interface ManagerIdentity {
  readonly manager?: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion?: string
  readonly subresource?: string
}

/** The manager of what the server writes itself: upstream's is a client of its own API. */
export const ownManager = "kube-apiserver"

/** Returns one frozen entry, its fields in the order of upstream's answers. */
export function entryOf(
  { manager, operation, apiVersion = "", subresource }: ManagerIdentity,
  time: string | undefined,
  fieldsV1: ManagedFields["fieldsV1"],
): ManagedFields {
  const named = manager !== undefined && manager !== ""
  const within = subresource !== undefined && subresource !== ""
  // As one literal an entry takes two thirds of the memory: nearly all of them have these six fields.
  if (named && time !== undefined && !within)
    return Object.freeze({ manager, operation, apiVersion, time, fieldsType: "FieldsV1", fieldsV1 })
  return Object.freeze({
    ...(named && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(within && { subresource }),
  })
}

/** What creates of one second left, by what they own. */
const lastCreates = { time: "", bySet: new Map<FieldSet, readonly ManagedFields[]>() }
/** Pods of a ReplicaSet have one set; where each object has its own, there is nothing to share. */
const maxLastCreates = 256

/** Returns the only entry of an object that a manager created, as a frozen list: creates of one shape by one manager in one second share it. */
export function entriesOfCreate(identity: ManagerIdentity, time: string, set: FieldSet): readonly ManagedFields[] {
  const { bySet } = lastCreates
  const last = lastCreates.time === time ? bySet.get(set) : undefined
  if (last !== undefined && isManager(last[0]!, identity)) return last
  const entries = Object.freeze([entryOf(identity, time, set)])
  if (lastCreates.time !== time || bySet.size >= maxLastCreates) bySet.clear()
  lastCreates.time = time
  bySet.set(set, entries)
  return entries
}

/** Returns an entry with other fields. */
export function withFields(entry: ManagedFields, fields: FieldSet): ManagedFields {
  return entryOf(entry, entry.time, sharedSet(fields))
}

/** Adds paths to a manager, and sets its time. Most writers change the same fields again and again: the set that is shared stays. */
export function withOwner(
  entries: readonly ManagedFields[],
  identity: ManagerIdentity,
  set: FieldSet,
  time: string,
): readonly ManagedFields[] {
  const owned = entries.find((entry) => isManager(entry, identity))
  const all = sharedSet(owned === undefined ? set : withPaths(owned.fieldsV1, set))
  if (owned !== undefined && owned.fieldsV1 === all && owned.time === time) return entries
  const others = entries.filter((entry) => entry !== owned)
  others.push(entryOf(identity, time, all))
  return Object.freeze(others.sort(compareEntries))
}

/** Gives paths to a manager, and takes them from all others: the entries after an update that is known to have changed just these. */
export function takenOver(
  entries: readonly ManagedFields[],
  identity: ManagerIdentity,
  set: FieldSet,
  time: string,
): readonly ManagedFields[] {
  const left = entries.flatMap((entry) => {
    if (isManager(entry, identity)) return [entry]
    const others = withoutPaths(entry.fieldsV1, set)
    return isEmptySet(others) ? [] : [others === entry.fieldsV1 ? entry : withFields(entry, others)]
  })
  return isEmptySet(set) ? left : withOwner(left, identity, set, time)
}

const withoutPaths = byIdentity(difference)

const withPaths = byIdentity((owned: FieldSet, set: FieldSet) => (isEmptySet(difference(set, owned)) ? owned : union(set, owned)))

function isManager(entry: ManagedFields, { manager = "", operation, apiVersion, subresource = "" }: ManagerIdentity): boolean {
  if ((entry.manager ?? "") !== manager || entry.operation !== operation || (entry.subresource ?? "") !== subresource) return false
  return operation === "Apply" || entry.apiVersion === apiVersion
}
