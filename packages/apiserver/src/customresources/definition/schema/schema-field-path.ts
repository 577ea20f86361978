import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { type FieldPathOptions, fieldPathSteps } from "@pilothouse/api/jsonpath"
import { propertyOf, schemaOr } from "../../schema/structural/schema-walk.ts"

/** A field that a path leads to. */
export interface FoundField {
  /** "spec.replicas", "spec.labels[app]". */
  readonly path: string
  /** The name of the first step; "" where the path has none. */
  readonly root: string
  /** Undefined where no schema describes the field. */
  readonly schema: JSONSchemaProps | undefined
}

const unknownField = "does not refer to a valid field"

/** Follows a path such as `.spec.replicas` or `.spec['my.name']` through a schema. Returns upstream's words where it leads nowhere. */
export function findField(path: string, schema: JSONSchemaProps, options: FieldPathOptions): FoundField | string {
  let found: FoundField = { path: "", root: "", schema }
  for (const step of fieldPathSteps(path, options)) {
    if ("fault" in step) return step.fault
    const next = stepInto(found, step.name)
    if (next === undefined) return unknownField
    found = next
  }
  return found
}

/** Names of properties where there are some, else keys of the map. */
function stepInto({ path, root, schema }: FoundField, name: string): FoundField | undefined {
  if (schema === undefined) return undefined
  const start = path === "" ? name : root
  if (Object.keys(schema.properties ?? {}).length > 0) {
    const property = propertyOf(schema, name)
    return property && { path: path === "" ? name : `${path}.${name}`, root: start, schema: property }
  }
  if (schema.additionalProperties === undefined) return undefined
  return { path: `${path}[${name}]`, root: start, schema: schemaOr(schema.additionalProperties) }
}
