import type { Schema } from "@pilothouse/api"
import { draftOf } from "../draft.ts"

type Fill = (value: unknown) => void

/**
 * What a schema sets where a body is silent. Made once for each kind: the walk visits only the parts that have a default somewhere below.
 */
export function schemaDefaults(schema: Schema): Fill {
  const fills = new Map<Schema, Fill | undefined>()

  const fillOf = (part: Schema): Fill | undefined => {
    if (fills.has(part)) return fills.get(part)
    // A type that holds itself is taken to add nothing by that: no recursive type has defaults.
    fills.set(part, undefined)
    const fill = part.type === "object" ? objectFill(part, fillOf) : itemsFill(part, fillOf)
    fills.set(part, fill)
    return fill
  }
  return fillOf(schema) ?? (() => {})
}

function itemsFill({ items }: Schema, fillOf: (schema: Schema) => Fill | undefined): Fill | undefined {
  const fill = items && fillOf(items)
  if (fill === undefined) return undefined
  return (value) => {
    for (const item of Object.values(value as object)) fill(item)
  }
}

interface FieldFill {
  readonly key: string
  readonly initial: unknown
  readonly fill: Fill | undefined
}

function objectFill({ fields = {} }: Schema, fillOf: (schema: Schema) => Fill | undefined): Fill | undefined {
  const parts = Object.entries(fields).map(
    ([key, field]): FieldFill => ({ key, initial: isZero(field.default) ? undefined : field.default, fill: fillOf(field.schema) }),
  )
  const useful = parts.filter((part) => part.initial !== undefined || part.fill !== undefined)
  if (useful.length === 0) return undefined
  return (value) => fillFields(value as Record<string, unknown>, useful)
}

function fillFields(value: Record<string, unknown>, parts: readonly FieldFill[]): void {
  for (const { key, initial, fill } of parts) {
    if (value[key] === undefined && initial !== undefined) value[key] = draftOf(initial)
    if (value[key] !== undefined) fill?.(value[key])
  }
}

/** OpenAPI shows Go's zero values of fields that are always written; those are no defaults. */
function isZero(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0
  return value === undefined || value === null || value === "" || value === 0 || value === false
}
