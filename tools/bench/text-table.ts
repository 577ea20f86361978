/** A table for a terminal: columns as wide as their longest cell, numbers to the right, empty columns left out. */
export function textTable(rows: readonly Readonly<Record<string, string | undefined>>[]): string {
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => rows.some((row) => (row[name] ?? "") !== ""))
  const cells = [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))]
  const widths = names.map((_name, column) => Math.max(...cells.map((line) => line[column]!.length)))
  const isNumber = names.map((name) => rows.every((row) => /^(-?[\d.,]+)?$/.test(row[name] ?? "")))
  return cells
    .map((line) =>
      line.map((cell, column) => (isNumber[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join("  "),
    )
    .map((line) => line.trimEnd())
    .join("\n")
}
