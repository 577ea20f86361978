import { PilothouseError } from "@pilothouse/seams"
import type { JsonSchema } from "./zod-schema.ts"

/** Where a schema stands: for messages, and to resolve references. */
export interface Field {
  readonly kind: string
  /** "spec.ports[].name" */
  readonly field: string
  readonly defs?: Readonly<Record<string, JsonSchema>>
  /** The references that lead here: one that comes again is recursive. */
  readonly references?: readonly string[]
}

export function below(at: Field, name: string): Field {
  return { ...at, field: `${at.field}${name}` }
}

export function refuse({ kind, field }: Field, found: string, advice: string): PilothouseError {
  return new PilothouseError("INVALID", `expected what a structural schema can hold in ${field} of ${kind}, found ${found}; ${advice}`)
}
