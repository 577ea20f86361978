import type { KubeObject } from "@pilothouse/api"
import { toTable } from "../table.ts"

export const now = Date.UTC(2026, 0, 5, 9)
export const metadata = { name: "x", creationTimestamp: "2026-01-05T08:55:00Z" }

type Part = Readonly<Record<string, unknown>>

/** An object by what it has beside its type and metadata, and the cells of its row. */
export type CellRow = readonly [group: string, kind: string, what: string, parts: Part, cells: readonly unknown[]]

export function cellsOf(group: string, kind: string, parts: Part): readonly unknown[] {
  const object = { apiVersion: group === "" ? "v1" : `${group}/v1`, kind, metadata, ...parts } as unknown as KubeObject
  return toTable({ group, kind }, [object], { now, includeObject: "None" }).rows[0]!.cells
}
