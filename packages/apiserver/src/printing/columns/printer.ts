import type { KubeObject } from "@pilothouse/api"

/** What a table has in one place: null where a custom resource has no value of the column's type. */
export type Cell = string | number | bigint | boolean | null

/** A column of a Table: upstream's TableColumnDefinition. */
export interface Column {
  readonly name: string
  /** "string", "integer", "number", "boolean" or "date". */
  readonly type: string
  /** "name" for the column that names the object; a format of the type for columns of custom resources. */
  readonly format?: string
  readonly description?: string
  /** Shown by `-o wide` only. */
  readonly wide?: boolean
  /** Of a custom resource's column, in place of `wide`: anything but 0 is shown by \`-o wide\` only. */
  readonly priority?: number
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
