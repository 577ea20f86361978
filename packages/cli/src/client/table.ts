import { type Descriptor, type KubeObject, pathOf } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { largestOf } from "@pilothouse/seams"
import { printable } from "./printable.ts"

export interface Column {
  readonly name: string
  /** 0 is always shown, more only with -o wide. */
  readonly priority: number
}

export interface Row {
  readonly cells: readonly unknown[]
  readonly object: KubeObject
}

export interface Table {
  readonly columnDefinitions: readonly Column[]
  readonly rows?: readonly Row[] | null
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
}

export interface TableQuery {
  readonly namespace?: string
  readonly name?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** What the server prints for people: every kind knows its own columns. */
export const tableType = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json"

export async function fetchTable(client: Client, of: Descriptor, { namespace, name, ...selection }: TableQuery): Promise<Table> {
  const query = Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined)) as Record<string, string>
  const answer = await client.request({ verb: "GET", path: pathOf(of, { namespace, name }), query, headers: { accept: tableType } })
  return isTable(answer) ? answer : plainTable(answer as KubeObject | { readonly items: readonly KubeObject[] })
}

/** A server of its own behind an APIService may know nothing of tables. */
function isTable(answer: unknown): answer is Table {
  return typeof answer === "object" && answer !== null && "columnDefinitions" in answer
}

/** The columns that upstream gives to what has none. */
function plainTable(answer: KubeObject | { readonly items: readonly KubeObject[] }): Table {
  const objects = "items" in answer && Array.isArray(answer.items) ? (answer.items as readonly KubeObject[]) : [answer as KubeObject]
  return {
    columnDefinitions: ["Name", "Created At"].map((name) => ({ name, priority: 0 })),
    rows: objects.map((object) => ({ cells: [object.metadata.name, object.metadata.creationTimestamp], object })),
  }
}

export interface PrintOptions {
  readonly wide?: boolean
  readonly withNamespace?: boolean
  readonly withLabels?: boolean
  readonly headings?: boolean
  /** Put before every name: "deployment.apps/". */
  readonly prefix?: string
}

/** Columns three spaces apart, as kubectl has them. */
export function formatTable({ columnDefinitions, rows }: Table, options: PrintOptions = {}): string {
  const shown = columnDefinitions.map((column, index) => ({ ...column, index })).filter(({ priority }) => options.wide || priority === 0)
  const heading = [
    ...(options.withNamespace ? ["NAMESPACE"] : []),
    ...shown.map(({ name }) => name.toUpperCase()),
    ...(options.withLabels ? ["LABELS"] : []),
  ]
  const body = (rows ?? []).map(({ cells, object }) => [
    ...(options.withNamespace ? [object.metadata.namespace ?? ""] : []),
    ...shown.map(({ index }) => `${index === 0 ? (options.prefix ?? "") : ""}${cellText(cells[index])}`),
    ...(options.withLabels ? [labelText(object)] : []),
  ])
  return aligned(options.headings === false ? body : [heading, ...body])
}

/** Every column as wide as its widest cell; nothing behind the last. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...lines.map((line) => line.length))
  const widths = Array.from({ length: columns }, (_, index) => largestOf(lines.map((line) => line[index]?.length ?? 0)))
  const text = (line: readonly string[]) =>
    line.map((cell, index) => (index === line.length - 1 ? cell : cell.padEnd(widths[index]! + 3))).join("")
  return lines.map((line) => `${text(line)}\n`).join("")
}

function cellText(cell: unknown): string {
  return cell === undefined || cell === null || cell === "" ? "<none>" : printable(String(cell))
}

function labelText({ metadata }: KubeObject): string {
  const labels = Object.entries(metadata.labels ?? {})
  return labels.length === 0 ? "<none>" : labels.map(([name, value]) => printable(`${name}=${value}`)).join(",")
}
