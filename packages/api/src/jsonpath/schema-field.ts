import { type FieldPathOptions, fieldPathSteps } from "./field-path.ts"

/** What of a schema decides where a path leads. */
export interface FieldSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, FieldSchema>>
  /** Only a schema describes the values of a map; `true` leaves them unknown. */
  readonly additionalProperties?: FieldSchema | boolean
}

/** A field that a path leads to. */
export interface FoundField {
  /** As messages write it: `spec.replicas`, `spec.labels[app]`. */
  readonly path: string
  /** The name of the first step; "" where the path has none. */
  readonly root: string
  /** Undefined where no schema describes the field. */
  readonly schema: FieldSchema | undefined
}

const unknownField = "does not refer to a valid field"

/** Follows a path such as `.spec.replicas` or `.spec['my.name']` through a schema. Returns upstream's words where it leads nowhere. */
export function findField(path: string, schema: FieldSchema, options: FieldPathOptions = {}): FoundField | string {
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
  const { properties = {}, additionalProperties } = schema
  const start = path === "" ? name : root
  if (Object.keys(properties).length > 0) {
    if (!Object.hasOwn(properties, name)) return undefined
    return { path: path === "" ? name : `${path}.${name}`, root: start, schema: properties[name] }
  }
  if (additionalProperties === undefined) return undefined
  const values = typeof additionalProperties === "object" ? additionalProperties : undefined
  return { path: `${path}[${name}]`, root: start, schema: values }
}
