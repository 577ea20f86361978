import type { KubeObject } from "@pilothouse/api"

export type Cell = string | number | bigint | boolean

export interface Column {
  readonly name: string
  readonly type: "string" | "integer" | "boolean" | "date"
  /** "name": the column that names the object. */
  readonly format?: "name"
  /** Shown by `-o wide` only. */
  readonly wide?: boolean
}

/** Says that a row needs no more watching, and why. */
export interface RowCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** How a kind is shown in a table. `cells` gives one cell per column. */
export interface Printer<T extends KubeObject = KubeObject> {
  readonly columns: readonly Column[]
  cells(object: T, now: number): readonly Cell[]
  conditions?(object: T): readonly RowCondition[] | undefined
}

/** A column that knows its cell. */
export interface CellColumn<T> extends Column {
  readonly cell: (object: T, now: number) => Cell
}

export function printer<T extends KubeObject>(...columns: readonly CellColumn<T>[]): Printer<T> {
  return {
    columns: columns.map(({ cell: _, ...column }) => column),
    cells: (object, now) => columns.map(({ cell }) => cell(object, now)),
  }
}
