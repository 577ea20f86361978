import type { Schema } from "@pilothouse/api"
import { goFormOf } from "@pilothouse/api/protobuf"
import { schemaOf } from "@pilothouse/api/schemas"
import { fieldsBelow, type MadeOf, walkSchema } from "./schema-walk.ts"

/** Gives the value itself where nothing is to be written. */
type Fill = (value: unknown) => unknown

/**
 * Objects as Go's JSON has them, with null where a list, a time or a pointer that is always written is empty. Inside of this process they are
 * left out, or are empty lists, which is what types say; what leaves it in bytes, and what patches are applied to, has them.
 */
export class GoNulls {
  /** Only of kinds that were met; there is a bound on those that have a schema. */
  readonly #fills = new Map<string, Fill | undefined>()

  /** The object itself where nothing is to be written. */
  of(object: unknown): unknown {
    if (!isObject(object)) return object
    const { kind, apiVersion } = object
    if (typeof kind !== "string" || typeof apiVersion !== "string") return object
    return this.#fillOf(apiVersion, kind)?.(object) ?? object
  }

  #fillOf(apiVersion: string, kind: string): Fill | undefined {
    const key = `${apiVersion} ${kind}`
    if (this.#fills.has(key)) return this.#fills.get(key)
    const [version = "", group = ""] = apiVersion.split("/").reverse()
    const schema = schemaOf({ group, version, kind })
    if (schema === undefined) return undefined
    const fill = goNulls(schema)
    this.#fills.set(key, fill)
    return fill
  }
}

/** Returns the nulls of a type in Go's form; undefined for a type without any. */
export function goNulls(schema: Schema): Fill | undefined {
  return walkSchema<Fill>(schema, (part, fillOf) => (part.type === "object" ? objectFill(part, fillOf) : listFill(part, fillOf)))
}

function objectFill(schema: Schema, fillOf: MadeOf<Fill>): Fill | undefined {
  const { nulls } = goFormOf(schema)
  const below = fieldsBelow(schema, fillOf)
  if (nulls.length === 0 && below.length === 0) return undefined
  return (value) => withNulls(value as Readonly<Record<string, unknown>>, nulls, below)
}

function withNulls(
  value: Readonly<Record<string, unknown>>,
  nulls: readonly string[],
  below: readonly (readonly [string, Fill])[],
): unknown {
  let changed: Record<string, unknown> | undefined
  for (const name of nulls) if (isNil(value[name])) (changed ??= { ...value })[name] = null
  for (const [key, fill] of below) {
    const before = value[key]
    if (before === undefined || before === null || (changed !== undefined && changed[key] === null)) continue
    const after = fill(before)
    if (after !== before) (changed ??= { ...value })[key] = after
  }
  return changed ?? value
}

function listFill({ type, items }: Schema, fillOf: MadeOf<Fill>): Fill | undefined {
  const fill = type === "list" && items !== undefined ? fillOf(items) : undefined
  return fill && ((value) => mapped(value as readonly unknown[], fill))
}

/** The list itself where no item changes. */
function mapped(list: readonly unknown[], fill: Fill): readonly unknown[] {
  const made = list.map(fill)
  return made.some((item, index) => item !== list[index]) ? made : list
}

/** An empty struct behind a pointer is not. */
function isNil(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
