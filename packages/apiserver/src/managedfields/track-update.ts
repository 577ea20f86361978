import { formatTime, type KubeObject, type ManagedFieldsEntry } from "@pilothouse/api"
import { type FieldManagerEndpoint, type FieldWriter, ownedByCreate, unowned, withOwner } from "./endpoint.ts"
import { difference, type FieldSet, isEmptySet, unionAll } from "./fieldpath/index.ts"
import {
  compareText,
  compareTimes,
  decodeEntries,
  encodeEntries,
  entryOf,
  type Managed,
  managedOf,
  managerKey,
  noManagers,
} from "./managers.ts"
import { type Manager, updateManagers } from "./merge/index.ts"
import { type ManagedFields, managedFieldsOf } from "./object-managed-fields.ts"

export interface TrackedUpdate extends FieldWriter {
  /** The stored object; undefined when the request creates it. */
  readonly live: KubeObject | undefined
  /** The decoded and defaulted object of the request, without managedFields. */
  readonly next: object
  /** metadata.managedFields of the request. */
  readonly given: readonly ManagedFieldsEntry[] | undefined
}

/** The manager of a running update; what it is left with afterwards is what the update changed. */
const currentOperation = "current-operation"

/**
 * Returns the managedFields of an object after a create or an update that is no apply: what the request changed belongs to its manager
 * alone. An object without managedFields stays untracked until the next apply.
 */
export function trackUpdate(endpoint: FieldManagerEndpoint, update: TrackedUpdate): readonly ManagedFields[] {
  const { live, next, given, manager, now } = update
  const managed = requestedManagers(endpoint, live, given)
  if (live !== undefined) {
    return managed.managers.size === 0 ? [] : encodeEntries(capUpdateManagers(updated(endpoint, managed, { live, next, manager, now })))
  }
  const set = ownedByCreate(endpoint, next)
  const { apiVersion, subresource } = endpoint
  const identity = { manager, operation: "Update", apiVersion, subresource } as const
  if (managed.managers.size === 0) return isEmptySet(set) ? [] : Object.freeze([entryOf(identity, formatTime(now), set)])
  return encodeEntries(capUpdateManagers(withCreated(managed, managerKey(identity), set, update, apiVersion)))
}

/** The managedFields that count: those of the request on the main endpoint, unless they are absent or invalid; `[]` and `[{}]` clear them. */
function requestedManagers(
  { subresource }: FieldManagerEndpoint,
  live: KubeObject | undefined,
  given: readonly ManagedFieldsEntry[] | undefined,
): Managed {
  const stored = () => (live === undefined ? noManagers : managedOf(managedFieldsOf(live)))
  if (given === undefined || subresource !== "") return stored()
  if (given.length === 0 || (given.length === 1 && Object.keys(given[0] ?? {}).length === 0)) return noManagers
  const managed = decodable(given)
  if (managed === undefined) return stored()
  for (const { apiVersion } of managed.managers.values()) refuseVersion(apiVersion)
  return managed
}

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

function updated(endpoint: FieldManagerEndpoint, managed: Managed, { live, next: given, manager, now }: UpdateOfLive): Managed {
  const { apiVersion, subresource, merge } = endpoint
  const next = withLiveRoots(endpoint.resetRoots, live, given)
  const managers = new Map(updateManagers(merge, { live, next, apiVersion, managers: managed.managers, manager: currentOperation }))
  const changed = managers.get(currentOperation)
  managers.delete(currentOperation)
  const set = changed && difference(changed.set, unowned)
  if (set === undefined || isEmptySet(set)) return { managers, times: managed.times }
  return withOwner(
    { managers, times: managed.times },
    managerKey({ manager, operation: "Update", apiVersion, subresource }),
    set,
    now,
    apiVersion,
  )
}

/** A create whose body names managers of its own: they lose what the create sets. */
function withCreated({ managers, times }: Managed, key: string, set: FieldSet, { now }: FieldWriter, apiVersion: string): Managed {
  const others = new Map<string, Manager>()
  for (const [other, manager] of managers) {
    const left = difference(manager.set, set)
    if (!isEmptySet(left)) others.set(other, { ...manager, set: left })
  }
  return isEmptySet(set) ? { managers: others, times } : withOwner({ managers: others, times }, key, set, now, apiVersion)
}

/** How many managers that update are kept apart. */
const maxUpdateManagers = 10

/**
 * Keeps the number of managers that update at ten: the oldest ones of a version are joined as "ancient-changes". Managers that apply are never joined.
 */
function capUpdateManagers(managed: Managed): Managed {
  const updaters = [...managed.managers].filter(([, { applied }]) => !applied).map(([key]) => key)
  if (updaters.length <= maxUpdateManagers) return managed
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
  return { managers, times }
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
