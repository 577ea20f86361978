import { compareText, type Schema } from "@pilothouse/api"
import type { FieldFilter } from "../fieldpath/field-filter.ts"
import { type FieldPath, pathsOf, pathText } from "../fieldpath/field-path.ts"
import type { FieldSet } from "../fieldpath/field-set.ts"

/** What one manager owns. */
export interface Manager {
  /** The version of the object that the paths are of. */
  readonly apiVersion: string
  /** Whether it was applied; else it was updated. */
  readonly applied: boolean
  /** Never empty among `Managers`. */
  readonly set: FieldSet
}

/** By the identity of a manager, which says nothing here. */
export type Managers = ReadonlyMap<string, Manager>

/** The versions that one kind has. */
export interface Versions {
  /** Undefined for a version that is no longer there: its managers are dropped. */
  schemaOf(apiVersion: string): Schema | undefined
  /** The object in another version, or the promise of it; the object itself where nothing differs. */
  convert(object: unknown, apiVersion: string): unknown
}

/** What a merge knows besides the objects. */
export interface Merge {
  readonly versions: Versions
  /** Which fields count at the endpoint, by version; undefined where all do. */
  readonly filter?: (apiVersion: string) => FieldFilter | undefined
}

/** A field that another manager owns with another value. */
export interface Conflict {
  readonly manager: string
  readonly path: FieldPath
}

/** An applied configuration changes what other managers own. Nothing has been changed. */
export class ConflictError extends Error {
  override readonly name = "ConflictError"
  /** By the identity of the manager, then as `pathsOf` has the paths. */
  readonly conflicts: readonly Conflict[]

  constructor(sets: ReadonlyMap<string, FieldSet>) {
    const managers = [...sets].sort(([a], [b]) => compareText(a, b))
    const conflicts = managers.flatMap(([manager, set]) => pathsOf(set).map((path) => ({ manager, path })))
    super(`${conflicts.length} fields of other managers have another value; the first is ${pathText(conflicts[0]?.path ?? [])}`)
    this.conflicts = conflicts
  }
}
