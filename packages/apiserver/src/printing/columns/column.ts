import type { Int64, KubeObject } from "@pilothouse/api"
import { age } from "./human-duration.ts"
import type { CellColumn } from "./printer.ts"

/** The object's name, which every table but that of events begins with. */
export const nameColumn: CellColumn<KubeObject> = {
  name: "Name",
  type: "string",
  format: "name",
  cell: ({ metadata }) => metadata.name ?? "",
}

export const ageColumn: CellColumn<KubeObject> = {
  name: "Age",
  type: "string",
  cell: ({ metadata }, now) => age(metadata.creationTimestamp, now),
}

/** An empty cell where there is nothing to say. */
export function text<T>(name: string, cell: (object: T, now: number) => string | undefined): CellColumn<T> {
  return { name, type: "string", cell: (object, now) => cell(object, now) ?? "" }
}

/** Zero where there is no number. */
export function integer<T>(name: string, cell: (object: T) => Int64 | undefined): CellColumn<T> {
  return { name, type: "integer", cell: (object) => cell(object) ?? 0 }
}

/** A number in a column that upstream calls text. */
export function count<T>(name: string, cell: (object: T) => Int64 | undefined): CellColumn<T> {
  return { ...integer(name, cell), type: "string" }
}

/** False where nothing is said. */
export function boolean<T>(name: string, cell: (object: T) => boolean | undefined): CellColumn<T> {
  return { name, type: "boolean", cell: (object) => cell(object) ?? false }
}

export function wide<T>(column: CellColumn<T>): CellColumn<T> {
  return { ...column, wide: true }
}
