import type { Schema } from "@pilothouse/api"
import { type GoForm, goFormOf } from "@pilothouse/api/protobuf"
import { eachItem, fieldsBelow, type MadeOf, walkSchema } from "../body/schema-walk.ts"

type Fill = (value: unknown) => void

/**
 * Writes what Go always writes into an object that the server has added parts to: bodies that come in have it already. Made once for each kind;
 * the walk visits only the parts below which there is something that is always written.
 */
export function goZeros(schema: Schema): Fill {
  return (
    walkSchema<Fill>(schema, (part, fillOf) => (part.type === "object" ? objectFill(part, fillOf) : eachItem(part, fillOf))) ?? (() => {})
  )
}

function objectFill(schema: Schema, fillOf: MadeOf<Fill>): Fill | undefined {
  const { always } = goFormOf(schema)
  const below = fieldsBelow(schema, fillOf)
  if (always.length === 0 && below.length === 0) return undefined
  return (value) => {
    // Parts of the old object are as they were stored.
    if (!Object.isFrozen(value)) fillObject(value as Record<string, unknown>, always, below)
  }
}

function fillObject(value: Record<string, unknown>, always: GoForm["always"], below: readonly (readonly [string, Fill])[]): void {
  for (const { name, zero } of always) value[name] ??= zero()
  for (const [key, fill] of below) if (value[key] !== undefined && value[key] !== null) fill(value[key])
}
