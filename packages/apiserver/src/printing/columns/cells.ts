import { formatLabelSelector, type LabelSelector, selectorOf } from "@pilothouse/api"
import type { Container } from "@pilothouse/api/core/v1"
import { text, wide } from "./column.ts"
import type { CellColumn } from "./printer.ts"

export const none = "<none>"
export const unset = "<unset>"

/** Text, or what stands for its absence. */
export function or(value: string | undefined, absent: string): string {
  return value === undefined || value === "" ? absent : value
}

/** "a,b,c", or "a,b,c + 2 more..." */
export function firstFew(list: readonly string[], limit: number, separator = ","): string {
  const shown = list.slice(0, limit).join(separator)
  return list.length > limit ? `${shown} + ${list.length - limit} more...` : shown
}

/** Labels as a Service's selector shows them: "a=b,c=d". */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return or(pairs.sort().join(","), none)
}

/** A selector in the object form: "a=b,c in (x,y)". */
export function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return none
  try {
    return or(formatLabelSelector(selectorOf(selector)), none)
  } catch {
    // A stored selector was valid when it came in; an old one that is not any more must not hide the whole table.
    return "<error>"
  }
}

/** Names and images of a template's containers. */
export function containerColumns<T>(containers: (object: T) => readonly Container[] | undefined): readonly CellColumn<T>[] {
  const joined = (object: T, part: (container: Container) => string | undefined) => (containers(object) ?? []).map(part).join(",")
  return [
    wide(text("Containers", (object: T) => joined(object, ({ name }) => name))),
    wide(text("Images", (object: T) => joined(object, ({ image }) => image))),
  ]
}
