import { stringifyJson } from "@pilothouse/seams"
/**
 * What Go prints of a struct without JSON names: every field by its name in Go and in Go's order, also those that are unset. A layout is a row of
 * them: the name in JSON, a colon and the name in Go where that is not just its capital form, and after "=" what stands there when it is unset
 * (nothing for a text, "null" for a pointer, a list or a map, "-" for what is then left out).
 */
export type GoLayout = Readonly<Record<string, Field>>

interface Field {
  readonly name: string
  /** Undefined: left out. */
  readonly unset: unknown
  readonly layout: GoLayout | undefined
}

type Nested = Readonly<Record<string, GoLayout>>

/** goLayout("path type=null", { … }): the layouts of fields that are structs themselves stand beside. */
export function goLayout(row: string, nested: Nested = {}): GoLayout {
  return Object.fromEntries(
    row.split(" ").map((text) => {
      const [names = "", unset = '""'] = text.split("=")
      const [json = "", name = `${json[0]?.toUpperCase()}${json.slice(1)}`] = names.split(":")
      return [json, { name, unset: unset === "-" ? undefined : JSON.parse(unset), layout: nested[json] }]
    }),
  )
}

/**
 * The value as encoding/json indents it there, by one space. `given` is what it was made of: a list or map that was sent empty is
 * empty in Go, where one that was not sent is null.
 */
export function goStructText(value: object, layout: GoLayout, given?: unknown): string {
  const text = stringifyJson(goValue(value, layout, given), 1)
  return text.replaceAll(/[<>&]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`)
}

/** The same for a message, which shows it in one line. */
export function goStructValue(value: object, layout: GoLayout): Readonly<Record<string, unknown>> {
  return goValue(value, layout, undefined)
}

function goValue(value: object, layout: GoLayout, given: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(layout).map(([json, field]) => [field.name, shown(inside(value, json), field, inside(given, json))]),
  )
}

function shown(value: unknown, { unset, layout }: Field, given: unknown): unknown {
  if (unset === null && isEmpty(given) && (value === undefined || (Array.isArray(value) && value.length === 0))) return given
  if (layout !== undefined && Array.isArray(value)) {
    return value.length === 0 ? unset : value.map((item, index) => goValue(item, layout, inside(given, index)))
  }
  if (layout !== undefined && (value !== undefined || unset === "")) return goValue((value ?? {}) as object, layout, given)
  if (value === undefined) return unset
  return isMap(value) ? sorted(value) : value
}

function inside(value: unknown, key: string | number): unknown {
  return (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[key]
}

/** A struct behind a pointer is shown with its fields, so it is none of these. */
function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Go prints maps in the order of their keys. */
function sorted(map: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1)))
}
