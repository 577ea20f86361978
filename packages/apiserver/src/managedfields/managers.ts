import type { ManagedFieldsEntry } from "@pilothouse/api"
import { entryOf, type ManagerIdentity } from "./entries.ts"
import { compareEntries } from "./entry-order.ts"
import { parseFieldSet } from "./fieldpath/index.ts"
import type { Manager, Managers } from "./merge/index.ts"
import type { ManagedFields } from "./object-managed-fields.ts"
import { sharedSet } from "./shared-set.ts"

/** The managedFields of one object as the merge works with them: sets by manager identity, and when each manager last wrote. */
export interface Managed {
  readonly managers: Managers
  readonly times: ReadonlyMap<string, string | undefined>
}

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
