import type { Schema } from "@pilothouse/api"
import { draftOf } from "../body/draft.ts"
import { eachItem, type MadeOf, walkSchema } from "../body/schema-walk.ts"

type Fill = (value: unknown) => void

/**
 * Returns what sets the defaults of a schema. Created once for each kind: the walk visits only the parts that have a default somewhere below.
 */
export function schemaDefaults(schema: Schema): Fill {
  return (
    walkSchema<Fill>(schema, (part, fillOf) => (part.type === "object" ? objectFill(part, fillOf) : eachItem(part, fillOf))) ?? (() => {})
  )
}

interface FieldFill {
  readonly key: string
  readonly initial: unknown
  readonly fill: Fill | undefined
}

function objectFill({ fields = {} }: Schema, fillOf: MadeOf<Fill>): Fill | undefined {
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
