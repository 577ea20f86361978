import type { Descriptor, KubeObject, ListMeta } from "@pilothouse/api"
import { withManagedFields } from "../managedfields/object-managed-fields.ts"
import type { Cell, Column, Printer, RowCondition } from "./columns/printer.ts"
import { printerOf } from "./printers.ts"

export interface TableContext {
  /** Milliseconds since 1970: ages are counted from here. */
  readonly now: number
  /** What a row carries of its object. */
  readonly includeObject: "None" | "Metadata" | "Object"
  readonly listMeta?: ListMeta
}

interface ColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

interface Row {
  readonly cells: readonly Cell[]
  readonly conditions?: readonly RowCondition[]
  readonly object?: unknown
}

/** What kubectl shows: made by the server, so that it can show kinds it does not know. */
export interface Table {
  readonly kind: "Table"
  readonly apiVersion: "meta.k8s.io/v1"
  readonly metadata: ListMeta
  readonly columnDefinitions: readonly ColumnDefinition[]
  readonly rows: readonly Row[]
}

/** A kind and, if it is a custom resource, how it is shown. */
export interface PrintedKind extends Pick<Descriptor, "group" | "kind"> {
  readonly printer?: Printer
}

/** Returns the Table of some objects, with the columns of their kind (upstream's TableConvertor). */
export function toTable(kind: PrintedKind, objects: readonly KubeObject[], context: TableContext): Table {
  const printer = kind.printer ?? printerOf(kind)
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: context.listMeta ?? {},
    columnDefinitions: printer.columns.map(definitionOf),
    rows: objects.map((object) => rowOf(printer, object, context)),
  }
}

/** For a table whose rows are made one by one. */
export function rowMaker(kind: PrintedKind, context: TableContext): (object: KubeObject) => Row {
  const printer = kind.printer ?? printerOf(kind)
  return (object) => rowOf(printer, object, context)
}

function definitionOf({ name, type, format = "", description = "", wide = false, priority = wide ? 1 : 0 }: Column): ColumnDefinition {
  return { name, type, format, description, priority }
}

function rowOf(printer: Printer, object: KubeObject, { now, includeObject }: TableContext): Row {
  const conditions = printer.conditions?.(object)
  return {
    cells: printer.cells(object, now),
    ...(conditions && { conditions }),
    ...(includeObject === "None" ? {} : { object: carried(object, includeObject) }),
  }
}

function carried(object: KubeObject, include: "Metadata" | "Object"): unknown {
  const shown = withManagedFields(object)
  return include === "Object" ? shown : { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: shown.metadata }
}
