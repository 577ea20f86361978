import type { ObjectDeclaration, Reader, SizeHints, TypeBehaviour } from "../../environment/environment.ts"
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  type Type,
  timestampType,
} from "../../types/types.ts"
import { escapeProperty } from "./escaping.ts"
import { type JsonSchema, valuesSchema, withTypeAndMetadata } from "./json-schema.ts"
import { checkedReader } from "./schema-checks.ts"
import { listBehaviour, objectBehaviour } from "./schema-equality.ts"
import { readBytes, readDate, readDateTime, readDouble, readDuration, readList, readMap } from "./schema-values.ts"

/** What a schema says of its values: their type, how they are read, and how large they can be. */
export interface SchemaType {
  readonly type: Type
  /** The least number of bytes of a value in JSON. */
  readonly minSize: number
  /** The most characters, items or entries of a value; 0 for scalars and objects. */
  readonly maxElements: number
  /** How a value of the data becomes one of the type; absent where it is one already. */
  readonly read?: Reader
  /** The type of items or of a map's values. */
  readonly element?: SchemaType
  /** The fields of an object by the names that expressions use. */
  readonly fields?: ReadonlyMap<string, SchemaType>
  /** How values compare, where that is not item by item. */
  readonly behaviour?: TypeBehaviour
}

/** The types of a schema, ready for an environment. */
export interface SchemaTypes {
  /** The type of the whole value; undefined if the schema does not say enough. */
  readonly root: SchemaType | undefined
  readonly objectTypes: readonly ObjectDeclaration[]
  readonly behaviours: ReadonlyMap<Type, TypeBehaviour>
  /** Returns the type that a schema inside this one was given, or undefined. */
  typeOf(schema: JsonSchema): SchemaType | undefined
}

/** A request has at most this many bytes, which bounds everything that a schema does not bound. */
export const maxRequestSize = 3 * 1024 * 1024

const minStringSize = 2
const key: SchemaType = { type: stringType, minSize: minStringSize, maxElements: 0 }

/** How the types of a schema are made. */
export interface SchemaTypesOptions {
  /** Whether the schema is that of a whole resource. */
  readonly isResourceRoot?: boolean
  /** The name of the type of the whole value; those of the types inside begin with it. */
  readonly name?: string
  /** Whether values may be of other types than the schema has: reading such a value fails. Checking them takes time. */
  readonly checksValues?: boolean
}

/** Returns the types of a schema. Fields whose type is not known do not exist for expressions. */
export function typesFromSchema(
  schema: JsonSchema,
  { isResourceRoot = false, name = "selfType", checksValues = false }: SchemaTypesOptions = {},
): SchemaTypes {
  const conversion = new Conversion(checksValues)
  const root = conversion.convert(schema, isResourceRoot, name)
  const { objectTypes, behaviours, types } = conversion
  return { root, objectTypes, behaviours, typeOf: (part) => types.get(part) }
}

/** Returns the hints that the estimation of costs takes from a schema. */
export function sizeHintsOf(root: SchemaType): SizeHints {
  return {
    estimateSize(path) {
      if (path.length === 0) return undefined
      const found = path.slice(1).reduce<SchemaType | undefined>(childOf, root)
      return found && { min: 0, max: found.maxElements }
    },
  }
}

function childOf(parent: SchemaType | undefined, name: string): SchemaType | undefined {
  if (name === "@items" || name === "@values") return parent?.element
  if (name === "@keys") return parent?.type.kind === "map" ? key : undefined
  return parent?.fields?.get(name)
}

class Conversion {
  readonly objectTypes: ObjectDeclaration[] = []
  readonly behaviours = new Map<Type, TypeBehaviour>()
  readonly types = new Map<JsonSchema, SchemaType>()
  private readonly checksValues: boolean

  constructor(checksValues: boolean) {
    this.checksValues = checksValues
  }

  convert(schema: JsonSchema, isResourceRoot: boolean, name: string): SchemaType | undefined {
    const plain = this.convertNode(isResourceRoot ? withTypeAndMetadata(schema) : schema, name)
    if (!plain) return undefined
    const converted = this.checksValues ? { ...plain, read: checkedReader(schema, plain.read, plain.element?.read) } : plain
    this.types.set(schema, converted)
    if (converted.behaviour) this.behaviours.set(converted.type, converted.behaviour)
    return converted
  }

  private convertNode(schema: JsonSchema, name: string): SchemaType | undefined {
    if (schema["x-kubernetes-int-or-string"]) return { type: dynType, minSize: 1, maxElements: maxCharacters(schema) ?? maxRequestSize - 2 }
    switch (schema.type) {
      case "array":
        return schema.items && this.convertList(schema, schema.items, name)
      case "object":
        return this.convertObject(schema, name)
      case "string":
        return convertString(schema)
      case "boolean":
        return { type: boolType, minSize: 4, maxElements: 0 }
      case "number":
        return { type: doubleType, minSize: 1, maxElements: 0, read: readDouble }
      case "integer":
        return { type: intType, minSize: 1, maxElements: 0 }
      default:
        return undefined
    }
  }

  private convertList(schema: JsonSchema, items: JsonSchema, name: string): SchemaType | undefined {
    const element = this.convert(items, items["x-kubernetes-embedded-resource"] === true, `${name}.@idx`)
    if (!element) return undefined
    const maxElements = bounded(schema.maxItems) ?? Math.floor((maxRequestSize - 2) / (element.minSize + 1))
    const behaviour = listBehaviour(schema, element.behaviour)
    return {
      type: listType(element.type),
      minSize: 2,
      maxElements,
      element,
      ...readerOf(element.read && readList(element.read)),
      ...(behaviour && { behaviour }),
    }
  }

  private convertObject(schema: JsonSchema, name: string): SchemaType | undefined {
    const values = valuesSchema(schema)
    if (!values) return this.convertFields(schema, name)
    const element = this.convert(values, values["x-kubernetes-embedded-resource"] === true, `${name}.@elem`)
    if (!element) return undefined
    const maxElements = bounded(schema.maxProperties) ?? Math.floor((maxRequestSize - 2) / (element.minSize + 6))
    const behaviour = element.behaviour && objectBehaviour(() => element)
    const type = mapType(stringType, element.type)
    return { type, minSize: 2, maxElements, element, ...readerOf(element.read && readMap(element.read)), ...(behaviour && { behaviour }) }
  }

  private convertFields({ properties = {}, required = [] }: JsonSchema, name: string): SchemaType {
    const fields = new Map<string, SchemaType>()
    const byProperty = new Map<string, SchemaType>()
    let minSize = 2
    for (const [property, schema] of Object.entries(properties)) {
      const escaped = escapeProperty(property)
      const field = this.convert(schema, schema["x-kubernetes-embedded-resource"] === true, `${name}.${escaped ?? property}`)
      if (!field) continue
      byProperty.set(property, field)
      if (escaped !== undefined) fields.set(escaped, field)
      if (required.includes(property) && schema.default === undefined)
        minSize += new TextEncoder().encode(property).length + field.minSize + 4
    }
    this.declareObject(name, properties, fields)
    const special = [...byProperty.values()].some(({ behaviour, read }) => behaviour !== undefined || read !== undefined)
    return {
      type: objectType(name),
      minSize,
      maxElements: 0,
      fields,
      ...(special && { behaviour: objectBehaviour((property) => byProperty.get(property)) }),
    }
  }

  private declareObject(name: string, properties: Readonly<Record<string, JsonSchema>>, fields: ReadonlyMap<string, SchemaType>): void {
    const declared = Object.keys(properties).flatMap((property) => {
      const escaped = escapeProperty(property)
      const field = escaped === undefined ? undefined : fields.get(escaped)
      if (escaped === undefined || !field) return []
      const declaration = { type: field.type, property, nullIsAbsent: true, ...readerOf(field.read) }
      // A keyword of the language is also found by its plain name, where the grammar lets it be selected.
      return [escaped, ...(escaped === `__${property}__` ? [property] : [])].map((key) => [key, declaration] as const)
    })
    this.objectTypes.push({ name, fields: new Map(declared) })
  }
}

function readerOf(read: Reader | undefined): { readonly read?: Reader } {
  return read ? { read } : {}
}

function bounded(max: number | undefined): number | undefined {
  return max === undefined ? undefined : Math.max(0, max)
}

/** A character has at most four bytes. */
function maxCharacters({ maxLength }: JsonSchema): number | undefined {
  return maxLength === undefined ? undefined : Math.max(0, maxLength) * 4
}

function convertString(schema: JsonSchema): SchemaType {
  switch (schema.format) {
    case "byte":
      return { type: bytesType, minSize: minStringSize, maxElements: bounded(schema.maxLength) ?? maxRequestSize - 2, read: readBytes }
    case "duration":
      return { type: durationType, minSize: 3, maxElements: 32, read: readDuration }
    case "date":
      return { type: timestampType, minSize: 12, maxElements: 12, read: readDate }
    case "date-time":
      return { type: timestampType, minSize: 21, maxElements: 32, read: readDateTime }
    default:
      return { type: stringType, minSize: minStringSize, maxElements: maxCharacters(schema) ?? longestEnum(schema) ?? maxRequestSize - 2 }
  }
}

function longestEnum({ enum: values = [] }: JsonSchema): number | undefined {
  if (values.length === 0) return undefined
  return Math.max(0, ...values.map((value) => (typeof value === "string" ? new TextEncoder().encode(value).length : 0)))
}
