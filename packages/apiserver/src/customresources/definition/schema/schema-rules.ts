import { type FieldError, fieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { ruleFormatErrors } from "../../schema/rules.ts"
import { itemListOf, itemsOf, schemaOr } from "../../schema/structural/schema-walk.ts"
import { ErrorList } from "./error-list.ts"
import { listTypeErrors, mapTypeErrors, type SchemaStrictness } from "./list-type-rules.ts"
import { structuralFault } from "./structural-schema.ts"

/** The types of OpenAPI v3. */
export const schemaTypes: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"]

const metaFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"])

/** What holds for a schema because of where it stands. */
interface Place {
  readonly isRoot: boolean
  /** Inside of apiVersion, kind or metadata of the object or of an embedded one. */
  readonly insideMeta: boolean
  /** Why defaults may not be set here; undefined where they may. */
  readonly noDefaults: string | undefined
}

/**
 * Returns what is wrong with a schema apart from its being structural: keywords that are not supported, and extensions that contradict each other.
 * A schema and everything below it is walked once.
 */
export function schemaErrors(schema: JSONSchemaProps, path: string, strictness: SchemaStrictness): readonly FieldError[] {
  const walk = new SchemaRules(strictness)
  walk.add(schema, { isRoot: true, insideMeta: false, noDefaults: undefined }, path)
  return walk.errors.all
}

class SchemaRules {
  readonly errors = new ErrorList()
  readonly #strictness: SchemaStrictness

  constructor(strictness: SchemaStrictness) {
    this.#strictness = strictness
  }

  add(schema: JSONSchemaProps, place: Place, path: string): void {
    const { errors } = this
    if (errors.isFull) return
    errors.add(...this.#keywordErrors(schema, place, path))
    this.#addProperties(schema, place, path)
    this.#addLogic(schema, place, path)
    this.#addItems(schema, place, path)
    this.#addEach(schema.dependencies, (dependency, name) => {
      const below = schemaOr(dependency)
      if (below !== undefined) this.add(below, inner(place), `${path}.dependencies[${name}]`)
    })
    if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
      errors.add(fieldError.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"))
    }
    errors.add(...mapTypeErrors(schema, path))
    for (const error of listTypeErrors(schema, path, this.#strictness)) {
      if (errors.isFull) return
      errors.add(error)
    }
    // A schema that cannot be structural is refused for that, and the paths of its rules are not followed.
    if (schema["x-kubernetes-validations"] !== undefined) {
      errors.add(...ruleFormatErrors(schema, path, { followsPaths: structuralFault(schema) === undefined }))
    }
  }

  #keywordErrors(schema: JSONSchemaProps, { insideMeta, noDefaults }: Place, path: string): readonly FieldError[] {
    const { type = "" } = schema
    const known = type === "" || schemaTypes.includes(type) || !this.#strictness.requiresKnownTypes
    const unsupported = notSupported.filter((keyword) => isSet(schema[keyword]))
    const forbid = (keyword: string, text: string) => fieldError.forbidden(`${path}.${keyword}`, text)
    return [
      ...(known ? [] : [fieldError.notSupported(`${path}.type`, type, schemaTypes)]),
      ...(noDefaults === undefined || schema.default === undefined ? [] : [forbid("default", `must not be set ${noDefaults}`)]),
      ...unsupported.map((keyword) => forbid(keyword, `${keyword} is not supported`)),
      ...(type === "null" ? [forbid("type", "type cannot be set to null, use nullable as an alternative")] : []),
      ...(itemListOf(schema).length === 0 ? [] : [forbid("items", "items must be a schema object and not an array")]),
      ...(insideMeta && schema["x-kubernetes-embedded-resource"] === true
        ? [forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta")]
        : []),
      ...(schema.uniqueItems === true
        ? [forbid("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")]
        : []),
    ]
  }

  #addProperties(schema: JSONSchemaProps, place: Place, path: string): void {
    const { properties = {}, additionalProperties } = schema
    if (additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties).length > 0) {
      this.errors.add(fieldError.forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"))
    }
    const others = schemaOr(additionalProperties)
    const noDefaults = place.insideMeta ? "inside additionalProperties applying to object metadata" : place.noDefaults
    if (others !== undefined) this.add(others, { ...inner(place), noDefaults }, `${path}.additionalProperties`)
    const isObject = place.isRoot || schema["x-kubernetes-embedded-resource"] === true
    this.#addEach(properties, (property, name) => {
      const isMeta = isObject && metaFields.has(name)
      this.add(
        property,
        {
          isRoot: false,
          insideMeta: place.insideMeta || isMeta,
          noDefaults: isMeta && place.isRoot ? `in top-level ${name}` : place.noDefaults,
        },
        `${path}.properties[${name}]`,
      )
    })
  }

  #addLogic({ not, allOf = [], oneOf = [], anyOf = [], definitions }: JSONSchemaProps, place: Place, path: string): void {
    if (not !== undefined) this.add(not, inner(place), `${path}.not`)
    for (const [keyword, list] of Object.entries({ allOf, oneOf, anyOf })) {
      list.forEach((below, index) => this.add(below, inner(place), `${path}.${keyword}[${index}]`))
    }
    this.#addEach(definitions, (below, name) => this.add(below, inner(place), `${path}.definitions[${name}]`))
  }

  #addItems(schema: JSONSchemaProps, place: Place, path: string): void {
    const items = itemsOf(schema)
    if (items !== undefined) this.add(items, inner(place), `${path}.items`)
    itemListOf(schema).forEach((item, index) => this.add(item, inner(place), `${path}.items[${index}]`))
  }

  #addEach<Value>(map: Readonly<Record<string, Value>> | undefined, add: (value: Value, name: string) => void): void {
    for (const name of Object.keys(map ?? {})) add(map![name]!, name)
  }
}

const notSupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const

/** An empty text or map says nothing; an empty $ref does, because Go holds it by a pointer. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== ""
}

function inner(place: Place): Place {
  return { ...place, isRoot: false }
}
