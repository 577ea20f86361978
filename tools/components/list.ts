import { componentDirectory, isCached } from "./cache.ts"
import { type Component, label } from "./component.ts"

/** The table for people: one line per version, and what each costs. */
export function list(table: readonly Component[], root: string): string {
  const rows = table.map((component) => [
    label(component),
    component.compiled ? "compiled, minutes" : "download, seconds",
    component.binaries.map(({ name }) => name).join(", "),
    isCached(component, root) ? componentDirectory(component, root) : `not cached (${component.source})`,
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n")
}
