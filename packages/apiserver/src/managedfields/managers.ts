import type { ManagedFieldsEntry } from "@pilothouse/api"
import { parseTime } from "@pilothouse/api"
import { byIdentity, difference, type FieldPath, type FieldSet, isEmptySet, parseFieldSet, union } from "./fieldpath/index.ts"
import type { Manager, Managers } from "./merge/index.ts"
import type { ManagedFields } from "./object-managed-fields.ts"
import { sharedSet } from "./shared-set.ts"

/** The managedFields of one object as the merge works with them: sets by manager identity, and when each manager last wrote. */
export interface Managed {
  readonly managers: Managers
  readonly times: ReadonlyMap<string, string | undefined>
}

/** What tells one manager from another. The apiVersion counts for updates only: an applier stays the same when it moves to another version. */
export interface ManagerIdentity {
  readonly manager?: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion?: string
  readonly subresource?: string
}

/** The manager of what the server writes itself: upstream's is a client of its own API. */
export const ownManager = "kube-apiserver"

export const noManagers: Managed = { managers: new Map(), times: new Map() }

/** Returns the text that stands for a manager: compact JSON, so that managers sort as upstream's do. */
export function managerKey({ manager = "", operation, apiVersion, subresource = "" }: ManagerIdentity): string {
  return JSON.stringify({
    ...(manager !== "" && { manager }),
    operation,
    ...(operation === "Update" && { apiVersion }),
    ...(subresource !== "" && { subresource }),
  })
}

export function managerIdentity(key: string): ManagerIdentity {
  return JSON.parse(key) as ManagerIdentity
}

/** Decodes stored entries, which are known to be valid. */
export function managedOf(entries: readonly ManagedFields[]): Managed {
  if (entries.length === 0) return noManagers
  const managers = new Map<string, Manager>()
  const times = new Map<string, string | undefined>()
  for (const entry of entries) {
    const { key, manager } = decodedEntry(entry)
    managers.set(key, manager)
    times.set(key, entry.time)
  }
  return { managers, times }
}

interface Decoded {
  readonly key: string
  readonly manager: Manager
}

/** Entries never change, and most writes leave all entries of an object but one as they were. */
const decodedEntries = new WeakMap<ManagedFields, Decoded>()
/** The other way round. */
const entryOfManager = new WeakMap<Manager, ManagedFields>()

function decodedEntry(entry: ManagedFields): Decoded {
  const known = decodedEntries.get(entry)
  if (known !== undefined) return known
  const manager = { apiVersion: entry.apiVersion, applied: entry.operation === "Apply", set: entry.fieldsV1 }
  const decoded = { key: managerKey(entry), manager }
  decodedEntries.set(entry, decoded)
  entryOfManager.set(manager, entry)
  return decoded
}

/** Decodes entries of a request; throws an Error that names the first invalid one. */
export function decodeEntries(entries: readonly ManagedFieldsEntry[]): Managed {
  const managers = new Map<string, Manager>()
  const times = new Map<string, string | undefined>()
  for (const [index, entry] of entries.entries()) {
    const { operation, apiVersion = "", fieldsType = "", time } = entry
    if (operation !== "Apply" && operation !== "Update") throw new Error("operation must be `Apply` or `Update`")
    if (apiVersion === "") throw new Error("apiVersion must not be empty")
    if (fieldsType === "") throw new Error(`missing fieldsType in managed fields entry ${index}`)
    if (fieldsType !== "FieldsV1") throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`)
    const key = managerKey({ ...entry, operation })
    managers.set(key, { apiVersion, applied: operation === "Apply", set: parseFieldSet(entry.fieldsV1 ?? {}) })
    times.set(key, time)
  }
  return { managers, times }
}

/** Encodes managers as the frozen entries of an object, sorted by operation, time, name, version and subresource. */
export function encodeEntries({ managers, times }: Managed): readonly ManagedFields[] {
  const entries = Array.from(managers, ([key, manager]) => encodeEntry(key, manager, times.get(key)))
  return Object.freeze(entries.sort(compareEntries))
}

function encodeEntry(key: string, manager: Manager, time: string | undefined): ManagedFields {
  const known = entryOfManager.get(manager)
  if (known !== undefined && known.time === time) return known
  return entryOf({ ...managerIdentity(key), apiVersion: manager.apiVersion }, time, sharedSet(manager.set))
}

/** Returns one frozen entry, its fields in the order of upstream's answers. */
export function entryOf(
  { manager, operation, apiVersion = "", subresource }: ManagerIdentity,
  time: string | undefined,
  fieldsV1: ManagedFields["fieldsV1"],
): ManagedFields {
  const version = { operation, apiVersion }
  const fields = { fieldsType: "FieldsV1", fieldsV1 } as const
  const named = manager !== undefined && manager !== ""
  const within = subresource !== undefined && subresource !== ""
  // As one literal an entry takes two thirds of the memory: nearly all of them have these six fields.
  if (named && time !== undefined && !within)
    return Object.freeze({ manager, operation, apiVersion, time, fieldsType: "FieldsV1", fieldsV1 })
  return Object.freeze({
    ...(named && { manager }),
    ...version,
    ...(time !== undefined && { time }),
    ...fields,
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

function compareEntries(a: ManagedFields, b: ManagedFields): number {
  return (
    compareText(a.operation, b.operation) ||
    compareTimes(a.time, b.time) ||
    compareText(a.manager ?? "", b.manager ?? "") ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? "", b.subresource ?? "")
  )
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Orders times by their seconds; none stands before all. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  // The form in which the server writes them sorts as text.
  if (a?.length === secondsForm.length && b?.length === secondsForm.length && a.endsWith("Z") && b.endsWith("Z")) return compareText(a, b)
  return secondsOf(a) - secondsOf(b)
}

const secondsForm = "2006-01-02T15:04:05Z"

function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(parseTime(time) / 1000)
}

/** Whether two lists of entries say the same but for the times. */
export function equalButTimes(a: readonly ManagedFields[], b: readonly ManagedFields[]): boolean {
  if (a === b) return true
  return a.length === b.length && a.every((entry, index) => isSameManager(entry, b[index]!))
}

function isSameManager(a: ManagedFields, b: ManagedFields): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    a.subresource === b.subresource &&
    (a.fieldsV1 === b.fieldsV1 || JSON.stringify(a.fieldsV1) === JSON.stringify(b.fieldsV1))
  )
}

/** Whether a set has a path as a member. */
export function owns(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set
  for (const element of path) node = node === undefined || !Object.hasOwn(node, element) ? undefined : node[element]
  return node !== undefined && (isEmptySet(node) || Object.hasOwn(node, "."))
}
