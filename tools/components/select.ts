import { closest } from "@pilothouse/seams"
import { type Component, label } from "./component.ts"
import { UnknownComponent } from "./errors.ts"

/**
 * The rows that a name means: `kubectl` all its versions, `kubectl@1.35` (or `@v1.35`, `@1.35.2`) those of that version.
 * A version matches whole parts only: 1.3 is not 1.35.
 */
export function select(table: readonly Component[], wanted: string): Component[] {
  const [name = "", version] = wanted.split("@")
  const named = table.filter((component) => component.name === name)
  if (named.length === 0) throw new UnknownComponent(unknownName(table, name))
  const prefix = version?.replace(/^v/, "")
  const matching = named.filter((component) => prefix === undefined || `${component.version}.`.startsWith(`${prefix}.`))
  if (matching.length > 0) return matching
  throw new UnknownComponent(`there is no ${wanted}; the versions of ${name} are ${named.map(({ version }) => version).join(", ")}.`)
}

function unknownName(table: readonly Component[], name: string): string {
  const names = [...new Set(table.map((component) => component.name))]
  const near = closest(name, names) ?? names.find((known) => name.length >= 3 && known.startsWith(name))
  const hint = near === undefined ? "" : ` Did you mean ${near}?`
  return `there is no component "${name}".${hint} The names are ${names.join(", ")}; a version is written like ${table[0] ? label(table[0]) : "name@version"}.`
}
