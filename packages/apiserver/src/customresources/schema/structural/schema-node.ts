import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"

/**
 * One node of a structural schema: what it says about a value, and the nodes of the values inside of it. Nodes are made when they are first met, so that
 * a definition of which few fields are used costs little. The node of the root leaves out apiVersion, kind and metadata, which are not the schema's.
 */
export class SchemaNode {
  readonly schema: JSONSchemaProps
  readonly isRoot: boolean
  /** Whether fields that are not declared are kept. */
  readonly preservesUnknown: boolean
  /** Whether the value has an apiVersion, a kind and metadata of its own. */
  readonly isEmbedded: boolean
  readonly isNullable: boolean
  /** Whether keys that are not declared are values of `additional`, or of no schema at all. */
  readonly hasAdditional: boolean
  /** Undefined where there is none. */
  readonly default: unknown
  /** The default with its own defaults in it, from when it is first needed. */
  filledDefault: unknown
  /** The length of that as JSON, once it was asked for. */
  defaultLength: number | undefined
  #properties: ReadonlyMap<string, SchemaNode> | undefined
  #additional: SchemaNode | undefined
  #items: SchemaNode | undefined
  #defaults: readonly (readonly [string, SchemaNode])[] | undefined
  #hasListTypes: boolean | undefined
  #hasEmbedded: boolean | undefined

  constructor(schema: JSONSchemaProps, { isRoot = false }: { readonly isRoot?: boolean } = {}) {
    this.schema = schema
    this.isRoot = isRoot
    this.preservesUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true
    this.isEmbedded = isRoot || schema["x-kubernetes-embedded-resource"] === true
    this.isNullable = schema.nullable === true
    this.hasAdditional = schema.additionalProperties !== undefined
    this.default = schema.default ?? undefined
  }

  /** Of the fields that are declared. */
  get properties(): ReadonlyMap<string, SchemaNode> {
    this.#properties ??= this.#propertyNodes()
    return this.#properties
  }

  /** Of the keys that are not declared; undefined where nothing is said of their values. */
  get additional(): SchemaNode | undefined {
    const { additionalProperties } = this.schema
    if (typeof additionalProperties !== "object") return undefined
    this.#additional ??= new SchemaNode(additionalProperties)
    return this.#additional
  }

  /** Of the items of a list; undefined where nothing is said of them. */
  get items(): SchemaNode | undefined {
    const { items } = this.schema
    if (items === undefined || Array.isArray(items)) return undefined
    this.#items ??= new SchemaNode(items as JSONSchemaProps)
    return this.#items
  }

  /** The declared fields that have a default. */
  get defaults(): readonly (readonly [string, SchemaNode])[] {
    this.#defaults ??= [...this.properties].filter(([, node]) => node.default !== undefined)
    return this.#defaults
  }

  /** Whether it, or anything below, is a list whose items must not be there twice. */
  get hasListTypes(): boolean {
    this.#hasListTypes ??= someSchema(this.schema, isSetOrMap)
    return this.#hasListTypes
  }

  /** Whether it, or anything below, is an object with an apiVersion, a kind and metadata of its own. */
  get hasEmbedded(): boolean {
    this.#hasEmbedded ??= someSchema(this.schema, isEmbeddedResource)
    return this.#hasEmbedded
  }

  /** Of a field or key; undefined where nothing is said of it. */
  at(key: string): SchemaNode | undefined {
    return this.properties.get(key) ?? this.additional
  }

  #propertyNodes(): ReadonlyMap<string, SchemaNode> {
    const entries = Object.entries(this.schema.properties ?? {}).filter(([key]) => !(this.isRoot && isTypeField(key)))
    return new Map(entries.map(([key, schema]) => [key, new SchemaNode(schema)]))
  }
}

/** Whether a schema, or one of a value inside of it, passes a test. Makes no nodes. */
function someSchema(schema: JSONSchemaProps, test: (schema: JSONSchemaProps) => boolean): boolean {
  if (test(schema)) return true
  const { additionalProperties, items, properties = {} } = schema
  const inner = [
    additionalProperties,
    Array.isArray(items) ? undefined : (items as JSONSchemaProps | undefined),
    ...Object.values(properties),
  ]
  return inner.some((one) => typeof one === "object" && someSchema(one, test))
}

function isSetOrMap({ "x-kubernetes-list-type": listType }: JSONSchemaProps): boolean {
  return listType === "set" || listType === "map"
}

function isEmbeddedResource(schema: JSONSchemaProps): boolean {
  return schema["x-kubernetes-embedded-resource"] === true
}

/** Whether a field is one that every object has: apiVersion, kind or metadata. */
export function isTypeField(key: string): boolean {
  return key === "apiVersion" || key === "kind" || key === "metadata"
}
