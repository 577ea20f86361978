import { fieldPathSteps } from "@pilothouse/api/jsonpath"
import { type JsonSchema, valuesSchema } from "../schema/json-schema.ts"

/** A path inside a value, as messages write it: `spec.ports[0]`, `labels[app]`. The empty text is the value itself. */
export const fieldPath = {
  child: (path: string, name: string): string => (path === "" ? name : `${path}.${name}`),
  key: (path: string, key: string): string => `${path}[${key}]`,
  index: (path: string, index: number): string => `${path}[${index}]`,
}

/**
 * Returns where a rule's `fieldPath` points, as messages write it; undefined if it names no field of the schema.
 * It has the forms `.spec.ports` and `['spec']['a.b']`.
 */
export function resolveFieldPath(text: string, schema: JsonSchema): string | undefined {
  let path = ""
  let current: JsonSchema | undefined = schema
  for (const step of fieldPathSteps(text)) {
    if ("fault" in step || !current) return undefined
    const { name } = step
    const { properties, additionalProperties }: JsonSchema = current
    path = properties ? fieldPath.child(path, name) : fieldPath.key(path, name)
    // A map whose values have no schema has a field of every name, and nothing below it.
    if (properties ? !Object.hasOwn(properties, name) : additionalProperties === undefined) return undefined
    current = properties ? properties[name] : valuesSchema(current)
  }
  return path
}
