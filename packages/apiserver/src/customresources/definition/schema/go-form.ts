import type { FieldError } from "@pilothouse/api"
import type { CustomResourceDefinitionVersion, JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { goLayout, goStructValue } from "../../../validation/go-struct.ts"
import { itemListOf, itemsOf, schemaOr } from "../../schema/structural/schema-walk.ts"
import { sortedKeys } from "../../schema/structural/sorted-keys.ts"

/**
 * Upstream shows parts of a definition as Go prints its internal types, which have no JSON names: every field by its name in Go, also those that are
 * not set. The two rows are the fields in Go's order; "=" gives what stands there when a field is not set.
 */
const schemaRow =
  "id:ID $schema:Schema $ref:Ref=null description type nullable=false format title default=null maximum=null exclusiveMaximum=false minimum=null exclusiveMinimum=false maxLength=null minLength=null pattern maxItems=null minItems=null uniqueItems=false multipleOf=null enum=null maxProperties=null minProperties=null required=null items=null allOf=null oneOf=null anyOf=null not=null properties=null additionalProperties=null patternProperties=null dependencies=null additionalItems=null definitions=null externalDocs=null example=null x-kubernetes-preserve-unknown-fields:XPreserveUnknownFields=null x-kubernetes-embedded-resource:XEmbeddedResource=false x-kubernetes-int-or-string:XIntOrString=false x-kubernetes-list-map-keys:XListMapKeys=null x-kubernetes-list-type:XListType=null x-kubernetes-map-type:XMapType=null x-kubernetes-validations:XValidations=null"

const schemaLayout = goLayout(schemaRow, {
  externalDocs: goLayout("description url:URL"),
  "x-kubernetes-validations": goLayout("rule message messageExpression reason=null fieldPath optionalOldSelf=null"),
})

const versionLayout = goLayout(
  "name served=false storage=false deprecated=false deprecationWarning=null schema=null subresources=null additionalPrinterColumns=null selectableFields=null",
  {
    subresources: goLayout("status=null scale=null", { scale: goLayout("specReplicasPath statusReplicasPath labelSelectorPath=null") }),
    additionalPrinterColumns: goLayout("name type format description priority=0 jsonPath:JSONPath"),
    selectableFields: goLayout("jsonPath:JSONPath"),
  },
)

type GoValue = Readonly<Record<string, unknown>>

/** The names in Go of the keywords that a schema sets, in Go's order. */
export function goFieldsOf(schema: JSONSchemaProps): readonly string[] {
  return Object.entries(schemaLayout).flatMap(([json, { name }]) => (isSet(schema, json) ? [name] : []))
}

function isSet(schema: JSONSchemaProps, key: string): boolean {
  return (schema as GoValue)[key] !== undefined
}

/** Versions as a message shows them. */
export function goVersions(versions: readonly CustomResourceDefinitionVersion[]): unknown {
  // A list that is left out, and one that is empty: the two are the same here.
  if (versions.length === 0) return null
  const printer = new SchemaPrinter()
  return versions.map((version) => {
    const shown = goStructValue(version, versionLayout)
    const { schema } = version
    return schema === undefined ? shown : { ...shown, Schema: { OpenAPIV3Schema: printer.schema(schema.openAPIV3Schema) } }
  })
}

/** A schema as a message shows it. */
export function goSchema(schema: JSONSchemaProps): unknown {
  return new SchemaPrinter().schema(schema)
}

/** The items of a list as a message shows them. */
export function goItems(schema: JSONSchemaProps): unknown {
  return new SchemaPrinter().items(schema)
}

/** Each schema takes about 900 characters, whatever it sets: a message with more of them shows null for the rest. */
const maxSchemas = 2000

class SchemaPrinter {
  #printed = 0

  schema(schema: JSONSchemaProps | undefined): GoValue | null {
    if (schema === undefined || ++this.#printed > maxSchemas) return null
    const values = {
      Default: sortedKeys(schema.default ?? null),
      Enum: sortedKeys(schema.enum ?? null),
      Example: sortedKeys(schema.example ?? null),
    }
    const {
      properties: _properties,
      patternProperties: _patterns,
      definitions: _definitions,
      dependencies: _dependencies,
      ...plain
    } = schema
    return { ...goStructValue(plain, schemaLayout), ...values, ...this.#nested(schema) }
  }

  items(schema: JSONSchemaProps): GoValue | null {
    if (schema.items === undefined) return null
    const list = itemListOf(schema)
    return { Schema: this.schema(itemsOf(schema)), JSONSchemas: list.length === 0 ? null : list.map((item) => this.schema(item)) }
  }

  #nested(schema: JSONSchemaProps): GoValue {
    const { allOf, oneOf, anyOf, not, properties, patternProperties, definitions, dependencies } = schema
    return {
      Items: this.items(schema),
      AllOf: this.#list(allOf),
      OneOf: this.#list(oneOf),
      AnyOf: this.#list(anyOf),
      Not: this.schema(not),
      Properties: this.#map(properties),
      AdditionalProperties: this.#orBool(schema.additionalProperties),
      PatternProperties: this.#map(patternProperties),
      Dependencies: dependencies === undefined ? null : byName(dependencies, (dependency) => this.#dependency(dependency)),
      AdditionalItems: this.#orBool(schema.additionalItems),
      Definitions: this.#map(definitions),
    }
  }

  #list(schemas: readonly JSONSchemaProps[] | undefined): unknown {
    return schemas?.map((schema) => this.schema(schema)) ?? null
  }

  #map(schemas: Readonly<Record<string, JSONSchemaProps>> | undefined): unknown {
    return schemas === undefined ? null : byName(schemas, (schema) => this.schema(schema))
  }

  #orBool(value: JSONSchemaProps | boolean | undefined): unknown {
    return value === undefined ? null : { Allows: value !== false, Schema: this.schema(schemaOr(value)) }
  }

  #dependency(value: JSONSchemaProps | readonly string[]): unknown {
    const schema = schemaOr(value)
    return { Schema: this.schema(schema), Property: schema === undefined ? value : null }
  }
}

function byName<Value>(map: Readonly<Record<string, Value>>, shown: (value: Value) => unknown): GoValue {
  const names = Object.keys(map).sort().slice(0, maxSchemas)
  return Object.fromEntries(names.map((name) => [name, shown(map[name]!)]))
}

/** An invalid text that Go holds by a pointer: it is shown as JSON, where others are shown as Go quotes them. */
export function invalidPointer(field: string, value: string, detail: string): FieldError {
  const shown = JSON.stringify(value).replaceAll(/[<>&]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`)
  return { reason: "FieldValueInvalid", message: `Invalid value: ${shown}: ${detail}`, field }
}
