import type { KubeObject, ManagedFieldsEntry } from "@pilothouse/api"
import type { FieldSet } from "./fieldpath/index.ts"

/** One entry of metadata.managedFields, in the order of fields that upstream writes. Frozen, and its set may be shared by many objects. */
export interface ManagedFields extends ManagedFieldsEntry {
  readonly manager?: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly fieldsType: "FieldsV1"
  readonly fieldsV1: FieldSet
}

/**
 * Where a stored object has its managedFields. They stand beside the object instead of in its metadata, under a key that is not enumerated: clients
 * in the same process are handed the stored object itself and do not pay for what they do not read. `withManagedFields` is the form of the wire.
 */
const slot: unique symbol = Symbol("managedFields")

interface Tracked {
  readonly [slot]?: readonly ManagedFields[]
}

const none: readonly ManagedFields[] = Object.freeze([])

/** Returns the managedFields of a stored object; empty where nothing is tracked. */
export function managedFieldsOf(object: KubeObject): readonly ManagedFields[] {
  return (object as Tracked)[slot] ?? none
}

/** Entries, or how to compute them when they are read for the first time. */
export type ManagedFieldsSource = readonly ManagedFields[] | (() => readonly ManagedFields[])

/** Sets the managedFields of an object that is not frozen yet. */
export function setManagedFields<T extends object>(object: T, entries: ManagedFieldsSource): T {
  if (typeof entries === "function") return Object.defineProperty(object, slot, { get: computedOnce(entries) })
  return entries.length === 0 ? object : Object.defineProperty(object, slot, { value: entries })
}

/** Gives an object that is not frozen yet the managedFields of another; those that were not read yet stay uncomputed. */
export function copyManagedFields<T extends object>(from: KubeObject, to: T): T {
  const entries = Object.getOwnPropertyDescriptor(from, slot)
  return entries === undefined ? to : Object.defineProperty(to, slot, entries)
}

function computedOnce<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined
  return () => (computed ??= { value: compute() }).value
}

/** Returns the object with its managedFields in the metadata; the object itself where nothing is tracked. */
export function withManagedFields<T>(object: T): T {
  const entries = (object as Tracked | undefined)?.[slot]
  if (entries === undefined || entries.length === 0) return object
  const tracked = object as KubeObject
  return { ...tracked, metadata: { ...tracked.metadata, managedFields: entries } } as T
}
