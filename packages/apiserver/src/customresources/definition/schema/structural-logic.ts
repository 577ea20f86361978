import { deepEqual, type FieldError, fieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { compilePattern } from "../../schema/formats/pattern.ts"
import { itemsOf, propertyOf } from "../../schema/structural/schema-walk.ts"
import type { ErrorList } from "./error-list.ts"

const intOrString: readonly JSONSchemaProps[] = [{ type: "integer" }, { type: "string" }]

/** Whether a schema allows integers and strings in the one form in which types may stand in an alternative. */
export function isIntOrString(schema: JSONSchemaProps | undefined): boolean {
  // Alternatives without additionalProperties are alternatives that say nothing about them.
  const alternatives = schema?.anyOf?.map(({ additionalProperties, ...rest }) =>
    additionalProperties === false ? rest : { ...rest, additionalProperties },
  )
  return deepEqual(alternatives, intOrString)
}

/** Where the int-or-string form stands; there types are not forbidden. */
interface Skipped {
  readonly anyOf: boolean
  readonly firstAllOf: boolean
}

const nothing: Skipped = { anyOf: false, firstAllOf: false }

/** Adds what is wrong in anyOf, allOf, oneOf and not: they say which values are good, and not what the values consist of. */
export function addLogicErrors(schema: JSONSchemaProps, skipped: Skipped, path: string, errors: ErrorList): void {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema
  if (!skipped.anyOf) anyOf.forEach((inner, index) => addNestedErrors(inner, nothing, `${path}.anyOf[${index}]`, errors))
  allOf.forEach((inner, index) => {
    addNestedErrors(inner, { ...nothing, anyOf: skipped.firstAllOf && index === 0 }, `${path}.allOf[${index}]`, errors)
  })
  oneOf.forEach((inner, index) => addNestedErrors(inner, nothing, `${path}.oneOf[${index}]`, errors))
  if (not !== undefined) addNestedErrors(not, nothing, `${path}.not`, errors)
  if (pattern === undefined || pattern === "") return
  const fault = compilePattern(pattern)
  if (typeof fault === "string") {
    errors.add(fieldError.invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`))
  }
}

function addNestedErrors(schema: JSONSchemaProps, skipped: Skipped, path: string, errors: ErrorList): void {
  if (errors.isFull) return
  addLogicErrors(schema, skipped, path, errors)
  const items = itemsOf(schema)
  if (items !== undefined) addNestedErrors(items, nothing, `${path}.items`, errors)
  const { properties = {} } = schema
  for (const name of Object.keys(properties)) addNestedErrors(properties[name]!, nothing, `${path}.properties[${name}]`, errors)
  errors.add(...forbiddenInLogic(schema, path))
}

const [empty, isFalse, isUndefined] = [
  "must be empty to be structural",
  "must be false to be structural",
  "must be undefined to be structural",
]

/** The keywords that say what a value consists of, in the order and with the words of upstream. */
const structuralKeywords = [
  ["type", empty],
  ["additionalProperties", isUndefined],
  ["default", isUndefined],
  ["title", empty],
  ["description", empty],
  ["nullable", isFalse],
  ["x-kubernetes-preserve-unknown-fields", isFalse],
  ["x-kubernetes-embedded-resource", isFalse],
  ["x-kubernetes-int-or-string", isFalse],
  ["x-kubernetes-list-map-keys", empty],
  ["x-kubernetes-list-type", isUndefined],
  ["x-kubernetes-map-type", isUndefined],
  ["x-kubernetes-validations", empty],
] as const

function forbiddenInLogic(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const errors = structuralKeywords.flatMap(([keyword, text]) => {
    const value = schema[keyword]
    return value === undefined || value === false ? [] : [fieldError.forbidden(`${path}.${keyword}`, text)]
  })
  if (propertyOf(schema, "metadata") === undefined) return errors
  return [...errors, fieldError.forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context")]
}

/** Adds an error for every field that only anyOf, allOf, oneOf or not name: it would be pruned before it is validated. */
export function addCompletenessErrors(schema: JSONSchemaProps, path: string, errors: ErrorList): void {
  compareLogic(schema, { schema, path }, path, errors)
}

/** The structural schema that a nested one speaks about. */
interface Structure {
  readonly schema: JSONSchemaProps
  readonly path: string
}

function compareLogic(
  { not, allOf = [], anyOf = [], oneOf = [] }: JSONSchemaProps,
  structure: Structure,
  path: string,
  errors: ErrorList,
): void {
  if (not !== undefined) compareNested(not, structure, `${path}.not`, errors)
  for (const [keyword, list] of Object.entries({ allOf, anyOf, oneOf })) {
    list.forEach((inner, index) => compareNested(inner, structure, `${path}.${keyword}[${index}]`, errors))
  }
}

function compareNested(nested: JSONSchemaProps, structure: Structure, path: string, errors: ErrorList): void {
  if (errors.isFull) return
  compareLogic(nested, structure, path, errors)
  const inItems = itemsOf(nested)
  if (inItems !== undefined) compareBelow(inItems, itemsOf(structure.schema), `${structure.path}.items`, `${path}.items`, errors)
  const { properties = {} } = nested
  for (const name of Object.keys(properties)) {
    const at = `.properties[${name}]`
    compareBelow(properties[name]!, propertyOf(structure.schema, name), `${structure.path}${at}`, `${path}${at}`, errors)
  }
}

function compareBelow(
  nested: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  structurePath: string,
  path: string,
  errors: ErrorList,
): void {
  if (schema !== undefined) compareNested(nested, { schema, path: structurePath }, path, errors)
  else errors.add(fieldError.required(structurePath, `because it is defined in ${path}`))
}
