import type { CustomResourceDefinition, CustomResourceDefinitionVersion, JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { PilothouseError } from "@pilothouse/seams"

/**
 * Writes a TypeScript module with the types and descriptors of definitions, in the version that each stores. A field is required where the schema requires it
 * or has a default: objects are read as a server returns them. Descriptions become comments.
 */
export function kindModule(definitions: readonly CustomResourceDefinition[]): string {
  return [
    "// Written by `pilothouse kinds generate`.\n",
    'import { type KubeObject, resource } from "@pilothouse/api"\n',
    ...definitions.map((definition) => `\n${kindText(definition)}`),
  ].join("")
}

function kindText({ metadata, spec }: CustomResourceDefinition): string {
  const stored = spec.versions.find(({ storage }) => storage)
  if (stored === undefined) throw new PilothouseError("INVALID", `expected a version that is stored in ${metadata.name}, found none`)
  const { kind, plural, singular, shortNames, categories } = spec.names
  const schema = stored.schema?.openAPIV3Schema ?? {}
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties ?? {}
  const own = fields({ ...schema, properties }, "  ")
  const options = {
    group: spec.group,
    version: stored.name,
    kind,
    plural,
    ...(singular !== undefined && { singular }),
    ...(shortNames !== undefined && { shortNames }),
    ...(categories !== undefined && { categories }),
    ...(spec.scope === "Cluster" && { namespaced: false }),
    subresources: subresourcesOf(stored),
  }
  return [
    comment(schema.description, ""),
    `export interface ${kind} extends KubeObject {\n`,
    `  readonly apiVersion: ${JSON.stringify(`${spec.group}/${stored.name}`)}\n  readonly kind: ${JSON.stringify(kind)}\n${own}}\n\n`,
    `export const ${identifier(plural)} = resource<${kind}>(${JSON.stringify(options, undefined, 2)})\n`,
  ].join("")
}

function subresourcesOf({ subresources }: CustomResourceDefinitionVersion) {
  const verbs = ["get", "patch", "update"]
  return [
    ...(subresources?.scale === undefined ? [] : [{ name: "scale", kind: "autoscaling/v1/Scale", verbs }]),
    ...(subresources?.status === undefined ? [] : [{ name: "status", verbs }]),
  ]
}

/** The fields of an object, each with its comment. */
function fields({ properties = {}, required = [] }: JSONSchemaProps, indent: string): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const always = required.includes(name) || schema.default !== undefined
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${comment(schema.description, indent)}${indent}readonly ${key}${always ? "" : "?"}: ${typeOf(schema, indent)}\n`
  })
  return lines.join("")
}

function typeOf(schema: JSONSchemaProps, indent: string): string {
  return schema.nullable ? `${bareTypeOf(schema, indent)} | null` : bareTypeOf(schema, indent)
}

function bareTypeOf(schema: JSONSchemaProps, indent: string): string {
  if (schema["x-kubernetes-int-or-string"]) return "number | string"
  if (schema.enum !== undefined && schema.enum.length > 0) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type
    case "integer":
    case "number":
      return "number"
    case "array":
      return listOf(itemsOf(schema), indent)
    case "object":
      return objectOf(schema, indent)
    default:
      return "unknown"
  }
}

/** A structural schema has one schema for all items of a list. */
function itemsOf({ items }: JSONSchemaProps): JSONSchemaProps {
  return Array.isArray(items) || items === undefined ? {} : (items as JSONSchemaProps)
}

function listOf(items: JSONSchemaProps, indent: string): string {
  const type = typeOf(items, indent)
  return type.includes(" | ") ? `readonly (${type})[]` : `readonly ${type}[]`
}

function objectOf(schema: JSONSchemaProps, indent: string): string {
  const { properties = {}, additionalProperties } = schema
  if (Object.keys(properties).length > 0) return `{\n${fields(schema, `${indent}  `)}${indent}}`
  const values = typeof additionalProperties === "object" ? typeOf(additionalProperties as JSONSchemaProps, indent) : "unknown"
  return `Readonly<Record<string, ${values}>>`
}

/** A text that would end the comment is written with a space. */
function comment(text: string | undefined, indent: string): string {
  if (text === undefined || text.trim() === "") return ""
  const lines = text.trim().replaceAll("*/", "* /").split(/\r?\n/)
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}

/** Plurals are DNS labels: "web-sites". */
function identifier(plural: string): string {
  return plural.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}
