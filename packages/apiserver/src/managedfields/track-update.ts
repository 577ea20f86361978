import { compareText, formatTime, type KubeObject, type ManagedFieldsEntry } from "@pilothouse/api"
import { type FieldManagerEndpoint, type FieldWriter, mismatches, ownable, ownedByCreate } from "./endpoint.ts"
import { entriesOfCreate, takenOver, withFields, withOwner } from "./entries.ts"
import { compareTimes } from "./entry-order.ts"
import { isEmptySet, unionAll } from "./fieldpath/index.ts"
import { decodeEntries, encodeEntries, type Managed, managedOf, managerKey } from "./managers.ts"
import { type Manager, type Steps, updateOwners } from "./merge/index.ts"
import { type ManagedFields, managedFieldsOf } from "./object-managed-fields.ts"
import { modifiedInMemory, TypedError, typedFailure, type ValuePath } from "./typed/index.ts"

/** A create or an update as the field manager receives it: the object before and after, and the managedFields that the request carries. */
export interface TrackedUpdate extends FieldWriter {
  /** The stored object; undefined when the request creates it. */
  readonly live: KubeObject | undefined
  /** The decoded and defaulted object of the request, without managedFields. */
  readonly next: object
  /** metadata.managedFields of the request. */
  readonly given: readonly ManagedFieldsEntry[] | undefined
  /** Where the request says in another form what may be stored already. */
  readonly variants?: readonly ValuePath[]
}

/**
 * Returns the managedFields of an object after a create or an update that is no apply: what the request changed belongs to its manager
 * alone. An object without managedFields stays untracked until the next apply.
 */
export function* trackUpdate(endpoint: FieldManagerEndpoint, update: TrackedUpdate): Steps<readonly ManagedFields[]> {
  const { live, next, given, manager, now, variants = [] } = update
  if (live !== undefined) {
    const entries = requestedEntries(endpoint, live, given)
    return entries.length === 0 ? entries : capUpdateManagers(yield* updated(endpoint, entries, { live, next, manager, now, variants }))
  }
  const set = ownedByCreate(endpoint, next, variants)
  const { apiVersion, subresource } = endpoint
  const identity = { manager, operation: "Update", apiVersion, subresource } as const
  // A create whose body names managers of its own: they lose what the create sets.
  const entries = requestedEntries(endpoint, live, given)
  if (entries.length === 0) return isEmptySet(set) ? entries : entriesOfCreate(identity, formatTime(now), set)
  return capUpdateManagers(takenOver(entries, identity, set, formatTime(now)))
}

/** The managedFields that count: those of the request on the main endpoint, unless they are absent or invalid; `[]` and `[{}]` clear them. */
function requestedEntries(
  { subresource }: FieldManagerEndpoint,
  live: KubeObject | undefined,
  given: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFields[] {
  const stored = live === undefined ? noEntries : managedFieldsOf(live)
  if (given === undefined || subresource !== "") return stored
  if (given.length === 0 || (given.length === 1 && Object.keys(given[0] ?? {}).length === 0)) return noEntries
  const managed = decodable(given)
  if (managed === undefined) return stored
  for (const { apiVersion } of managed.managers.values()) refuseVersion(apiVersion)
  return encodeEntries(managed)
}

const noEntries: readonly ManagedFields[] = Object.freeze([])

/** Undefined for entries that count as none: those that are stored stay. */
function decodable(given: readonly ManagedFieldsEntry[]): Managed | undefined {
  try {
    return decodeEntries(given)
  } catch {
    return undefined
  }
}

/** A version that is not served takes its manager with it; what cannot be a version at all ends the tracking. */
function refuseVersion(apiVersion: string): void {
  if (apiVersion.split("/").length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`)
}

interface UpdateOfLive extends FieldWriter {
  readonly live: object
  readonly next: object
  readonly variants: readonly ValuePath[]
}

/** Returns the object with what the endpoint does not change as it is stored: parts that are the same object are not compared. */
function withLiveRoots(roots: readonly string[], live: object, next: object): object {
  if (roots.length === 0) return next
  const result: Record<string, unknown> = { ...next }
  for (const root of roots) {
    const stored = (live as Readonly<Record<string, unknown>>)[root]
    if (stored === undefined) delete result[root]
    else result[root] = stored
  }
  return result
}

function* updated(
  endpoint: FieldManagerEndpoint,
  entries: readonly ManagedFields[],
  update: UpdateOfLive,
): Steps<readonly ManagedFields[]> {
  const { apiVersion, subresource, merge, schema } = endpoint
  const { live, manager, now } = update
  for (const object of [update.next, live]) refuseMismatch(endpoint, object)
  const next = withLiveRoots(endpoint.resetRoots, live, update.next)
  const modified = modifiedInMemory(update.next, schema, update.variants)
  const { owners, changed } = yield* updateOwners(merge, { live, next, apiVersion, owners: entries, modified, withFields })
  const set = ownable(changed)
  yield
  return isEmptySet(set) ? owners : withOwner(owners, { manager, operation: "Update", apiVersion, subresource }, set, formatTime(now))
}

/** An object that its definition has left behind is no longer tracked. */
function refuseMismatch(endpoint: FieldManagerEndpoint, object: object): void {
  const errors = mismatches(endpoint, object)
  if (errors.length > 0) throw new TypedError(typedFailure(errors))
}

/** How many managers that update are kept apart. */
const maxUpdateManagers = 10

/**
 * Keeps the number of managers that update at ten: the oldest ones of a version are joined as "ancient-changes". Managers that apply are never
 * joined.
 */
function capUpdateManagers(entries: readonly ManagedFields[]): readonly ManagedFields[] {
  if (entries.length <= maxUpdateManagers) return entries
  const managed = managedOf(entries)
  const updaters = [...managed.managers].filter(([, { applied }]) => !applied).map(([key]) => key)
  if (updaters.length <= maxUpdateManagers) return entries
  const managers = new Map(managed.managers)
  const times = new Map(managed.times)
  const byAge = updaters.sort((a, b) => compareTimes(times.get(a), times.get(b)) || compareText(a, b))
  const groups = new Map<string, string[]>()
  let count = updaters.length
  for (const key of byAge) {
    if (count <= maxUpdateManagers) break
    const { apiVersion } = managers.get(key)!
    const group = groups.get(apiVersion)
    if (group === undefined) groups.set(apiVersion, [key])
    else {
      group.push(key)
      count--
    }
  }
  for (const [apiVersion, group] of groups) joinOldest(managers, times, apiVersion, group)
  return encodeEntries({ managers, times })
}

/** Joins the managers of one version. The oldest one stays by itself where there is a bucket already: upstream's rule. */
function joinOldest(
  managers: Map<string, Manager>,
  times: Map<string, string | undefined>,
  apiVersion: string,
  group: readonly string[],
): void {
  const bucket = managerKey({ manager: "ancient-changes", operation: "Update", apiVersion })
  const [first = "", ...others] = group
  if (others.length === 0) return
  const joined = new Set([managers.has(bucket) ? bucket : first, ...others])
  const sets = Array.from(joined, (key) => managers.get(key)!.set)
  for (const key of joined) managers.delete(key)
  managers.set(bucket, { apiVersion, applied: false, set: unionAll(sets) })
  times.set(bucket, times.get(others.at(-1)!))
}
