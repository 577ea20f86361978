import { compareText, type FieldError, fieldError, formatFieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { itemListOf, itemsOf, propertyOf, schemaOr } from "../../schema/structural/schema-walk.ts"
import { ErrorList } from "./error-list.ts"
import { addCompletenessErrors, addLogicErrors, isIntOrString } from "./structural-logic.ts"

/** Where a schema stands: its type is required everywhere, and said so in different words. */
type Level = "field" | "item" | "root"

const untyped: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
}

/**
 * Returns why a schema cannot be read as a structural one at all: it has a keyword that no structural schema has. Undefined where it can; then
 * `structuralErrors` may be called. The other rules refuse most of these keywords too, with a better message.
 */
export function structuralFault(schema: JSONSchemaProps): string | undefined {
  const unsupported = unsupportedKeyword(schema)
  if (unsupported !== undefined) return `OpenAPIV3Schema '${unsupported}' is not supported`
  const { not, allOf, anyOf, oneOf, properties } = schema
  const logic = (not && structuralFault(not)) ?? firstFault(allOf) ?? firstFault(anyOf) ?? firstFault(oneOf)
  if (logic !== undefined) return logic
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  }
  if (itemListOf(schema).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  const [items, others] = [itemsOf(schema), schemaOr(schema.additionalProperties)]
  return (items && structuralFault(items)) ?? firstFault(properties) ?? (others && structuralFault(others))
}

function firstFault(schemas: readonly JSONSchemaProps[] | Readonly<Record<string, JSONSchemaProps>> | undefined): string | undefined {
  for (const schema of Object.values(schemas ?? {})) {
    const fault = structuralFault(schema)
    if (fault !== undefined) return fault
  }
  return undefined
}

function unsupportedKeyword(schema: JSONSchemaProps): string | undefined {
  const found = [
    ["id", schema.id],
    ["schema", schema.$schema],
    ["$ref", schema.$ref],
    ["patternProperties", schema.patternProperties],
    ["dependencies", schema.dependencies],
    ["additionalItems", schema.additionalItems],
    ["definitions", schema.definitions],
  ] as const
  return found.find(([, value]) => value !== undefined && value !== "")?.[0]
}

/** Returns what makes a schema not structural, sorted. */
export function structuralErrors(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const errors = new ErrorList()
  addInvariantErrors(schema, "root", path, errors)
  addCompletenessErrors(schema, path, errors)
  const texts = errors.all.map((error) => ({ error, text: formatFieldError(error) }))
  return texts.sort((a, b) => compareText(a.text, b.text)).map(({ error }) => error)
}

function addInvariantErrors(schema: JSONSchemaProps, level: Level, path: string, errors: ErrorList): void {
  if (errors.isFull) return
  const { type, items, properties = {}, additionalProperties } = schema
  if (type === "array" && items === undefined) errors.add(fieldError.required(`${path}.items`, "must be specified"))
  const below = itemsOf(schema)
  if (below !== undefined) addInvariantErrors(below, "item", `${path}.items`, errors)
  for (const name of Object.keys(properties)) addInvariantErrors(properties[name]!, "field", `${path}.properties[${name}]`, errors)
  if (additionalProperties !== undefined && level === "root") {
    errors.add(fieldError.forbidden(`${path}.additionalProperties`, "must not be used at the root"))
  }
  const others = schemaOr(additionalProperties)
  if (others !== undefined) addInvariantErrors(others, "field", `${path}.additionalProperties`, errors)
  errors.add(...extensionErrors(schema, path))
  addLogicErrors(schema, { anyOf: isIntOrString(schema), firstAllOf: isIntOrString(schema.allOf?.[0]) }, path, errors)
  errors.add(...typeErrors(schema, level, path), ...metaErrors(schema, level, path))
}

function extensionErrors(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  if (schema["x-kubernetes-int-or-string"] !== true) return []
  return (["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const).flatMap((extension) =>
    schema[extension] === true
      ? [fieldError.invalid(`${path}.${extension}`, true, "must be false if x-kubernetes-int-or-string is true")]
      : [],
  )
}

function typeErrors(schema: JSONSchemaProps, level: Level, path: string): readonly FieldError[] {
  const { type = "", additionalProperties } = schema
  const embedded = schema["x-kubernetes-embedded-resource"] === true
  const errors: FieldError[] = []
  if (embedded && type !== "object") {
    errors.push(objectTypeError(`${path}.type`, type, "must be object if x-kubernetes-embedded-resource is true"))
  } else if (type === "" && schema["x-kubernetes-int-or-string"] !== true && schema["x-kubernetes-preserve-unknown-fields"] !== true) {
    errors.push(fieldError.required(`${path}.type`, untyped[level]))
  }
  if (embedded && additionalProperties !== undefined) {
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"))
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(fieldError.invalid(`${path}.type`, type, "must be object at the root"))
  }
  return errors
}

/** A type that is missing is required, another one is invalid. */
export function objectTypeError(field: string, type: string, detail: string): FieldError {
  return type === "" ? fieldError.required(field, detail) : fieldError.invalid(field, type, detail)
}

/** An object with metadata is described by the server itself: a schema may restrict its name, and repeat the types. */
function metaErrors(schema: JSONSchemaProps, level: Level, path: string): readonly FieldError[] {
  const embedded = schema["x-kubernetes-embedded-resource"] === true
  const isObject = level === "root" || embedded
  const words = isObject ? ["kind", "apiVersion"] : []
  const errors = words.flatMap((word) => {
    const property = propertyOf(schema, word)
    if (property === undefined || property.type === "string") return []
    return [fieldError.invalid(`${path}.properties[${word}].type`, property.type ?? "", "must be string")]
  })
  const metadata = propertyOf(schema, "metadata")
  const at = `${path}.properties[metadata]`
  if (metadata !== undefined && isObject && metadata.type !== "object") {
    errors.push(fieldError.invalid(`${at}.type`, metadata.type ?? "", "must be object"))
  }
  if (metadata !== undefined && level === "root" && !restrictsNamesOnly(metadata)) {
    const text = "must not specify anything other than name and generateName, but metadata is implicitly specified"
    errors.push(fieldError.forbidden(at, text))
  }
  if (embedded && schema["x-kubernetes-preserve-unknown-fields"] !== true && Object.keys(schema.properties ?? {}).length === 0) {
    const text = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
    errors.push(fieldError.required(`${path}.properties`, text))
  }
  return errors
}

function restrictsNamesOnly({ type: _type, default: _default, properties = {}, ...rest }: JSONSchemaProps): boolean {
  const named = Object.keys(properties).every((name) => name === "name" || name === "generateName")
  return named && Object.values(rest).every((value) => value === undefined)
}
