import type { Field, Schema } from "@pilothouse/api"

/** A schema as OpenAPI writes it. */
export type SchemaObject = Readonly<Record<string, unknown>>

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1"

/** Texts and numbers that upstream has a named type for. */
export const scalarTypes: Readonly<Record<string, { readonly name: string; readonly schema: SchemaObject }>> = {
  "date-time": { name: `${meta}.Time`, schema: { type: "string", format: "date-time" } },
  "micro-time": { name: `${meta}.MicroTime`, schema: { type: "string", format: "date-time" } },
  duration: { name: `${meta}.Duration`, schema: { type: "string" } },
  quantity: { name: "io.k8s.apimachinery.pkg.api.resource.Quantity", schema: { oneOf: [{ type: "string" }, { type: "number" }] } },
  "int-or-string": {
    name: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    schema: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  },
}

/** "io.k8s.api.core.v1.Container": the name of a type that documents refer to; undefined for one that is written out in place. */
export function typeName({ name, package: from, format }: Schema): string | undefined {
  if (name !== undefined && from !== undefined) return `${from}.${name}`
  return format === undefined ? undefined : scalarTypes[format]?.name
}

export function reference(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** A field of an object. A reference may have nothing beside it, so what a field adds makes it an allOf of one. */
export function property(field: Field): SchemaObject {
  const { $ref, ...rest } = use(field.schema)
  const base = $ref === undefined ? rest : { allOf: [{ $ref }] }
  return {
    ...base,
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patchMergeKey }),
    ...(field.patchStrategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patchStrategy.join(",") }),
  }
}

/** A schema where it is used: a reference to a named type, or the whole of an unnamed one. */
export function use(schema: Schema): SchemaObject {
  const name = typeName(schema)
  return name === undefined ? inPlace(schema) : reference(name)
}

function inPlace(schema: Schema): SchemaObject {
  switch (schema.type) {
    case "list":
      return { type: "array", items: schema.items === undefined ? {} : use(schema.items), ...listExtensions(schema) }
    case "map":
      return { type: "object", additionalProperties: schema.items === undefined ? {} : use(schema.items), ...mapExtensions(schema) }
    case "object":
      return { type: "object", ...mapExtensions(schema) }
    case "any":
      return {}
    default:
      return { type: schema.type, ...(schema.format && { format: schema.format }), ...(schema.enum && { enum: schema.enum }) }
  }
}

function listExtensions({ listType, listMapKeys }: Schema): SchemaObject {
  return {
    ...(listMapKeys && { "x-kubernetes-list-map-keys": listMapKeys }),
    ...(listType && { "x-kubernetes-list-type": listType }),
  }
}

export function mapExtensions({ mapType }: Schema): SchemaObject {
  return mapType === undefined ? {} : { "x-kubernetes-map-type": mapType }
}
