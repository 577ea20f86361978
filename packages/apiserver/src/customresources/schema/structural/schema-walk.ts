import type { CustomResourceDefinitionSpec, JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"

/** Returns the schema of all items; undefined where there is none, or where each item has one of its own. */
export function itemsOf({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return isList(items) ? undefined : items
}

/** Returns the schemas of the items one by one, which JSON Schema allows and Kubernetes does not. */
export function itemListOf({ items }: JSONSchemaProps): readonly JSONSchemaProps[] {
  return isList(items) ? items : []
}

/** Returns the schema where one stands for a boolean or a list of names. */
export function schemaOr(value: JSONSchemaProps | boolean | readonly string[] | undefined): JSONSchemaProps | undefined {
  return typeof value === "object" && !isList(value) ? value : undefined
}

/** The properties of a schema by name, without what JavaScript's objects inherit. */
export function propertyOf({ properties }: JSONSchemaProps, name: string): JSONSchemaProps | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
}

/** Whether the schema or one below it, forbidden keywords included, satisfies the predicate. */
export function someSchema(schema: JSONSchemaProps, predicate: (schema: JSONSchemaProps) => boolean): boolean {
  if (predicate(schema)) return true
  const { items, not, additionalProperties, additionalItems, properties, patternProperties, definitions, dependencies } = schema
  const some = (below: unknown) => someIn(below, predicate)
  return (
    [items, not, additionalProperties, additionalItems].some(some) ||
    [schema.allOf, schema.anyOf, schema.oneOf].some(some) ||
    [properties, patternProperties, definitions, dependencies].some((map) => someValue(map, predicate))
  )
}

/** Of a schema, or a list of schemas; others have none. */
function someIn(value: unknown, predicate: (schema: JSONSchemaProps) => boolean): boolean {
  if (typeof value !== "object" || value === null) return false
  return isList(value) ? value.some((item) => someIn(item, predicate)) : someSchema(value, predicate)
}

function someValue(map: Readonly<Record<string, unknown>> | undefined, predicate: (schema: JSONSchemaProps) => boolean): boolean {
  for (const name in map) if (someIn(map[name], predicate)) return true
  return false
}

/** Returns every schema of a definition's versions. */
export function schemasIn({ versions = [] }: Partial<CustomResourceDefinitionSpec>): readonly JSONSchemaProps[] {
  return versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? [])
}

function isList<Item>(value: unknown): value is readonly Item[] {
  return Array.isArray(value)
}
