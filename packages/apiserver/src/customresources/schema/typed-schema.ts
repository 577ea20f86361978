import type { Schema } from "@pilothouse/api"
export function typedSchema(_schema: unknown): Schema | undefined {
  return undefined
}
