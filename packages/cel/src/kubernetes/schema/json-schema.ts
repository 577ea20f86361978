/** The parts of a JSONSchemaProps object that rules depend on, as plain JSON. */
export interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  /** Only a schema makes a map; `true` leaves the values unknown. */
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly allOf?: readonly JsonSchema[]
  readonly "x-kubernetes-validations"?: readonly ValidationRule[]
  readonly "x-kubernetes-int-or-string"?: boolean
  readonly "x-kubernetes-embedded-resource"?: boolean
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean
  readonly "x-kubernetes-list-type"?: string
  readonly "x-kubernetes-list-map-keys"?: readonly string[]
  readonly "x-kubernetes-map-type"?: string
}

/** One entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

/** Returns the schema of a map's values, or undefined if the schema is not one of a map. */
export function valuesSchema({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined
}

const knownTypes: ReadonlySet<string | undefined> = new Set(["boolean", "integer", "number", "object", "string"])

/** Reports whether a schema says enough for expressions to know the type of its values, down to what lists and maps hold. */
export function hasKnownType(schema: JsonSchema): boolean {
  let inner: JsonSchema | undefined = schema
  while (inner && !inner["x-kubernetes-int-or-string"]) {
    const values = valuesSchema(inner)
    if (inner.type === "array") inner = inner.items
    else if (inner.type === "object" && values) inner = values
    else return knownTypes.has(inner.type)
  }
  return inner !== undefined
}

const text: JsonSchema = { type: "string" }

/** Returns the schema of a whole resource: what every resource has is declared even where the definition leaves it out. */
export function withTypeAndMetadata(schema: JsonSchema): JsonSchema {
  const metadata: JsonSchema = { type: "object", properties: { name: text, generateName: text } }
  const { kind, apiVersion, metadata: own } = schema.properties ?? {}
  const complete = [kind, apiVersion, own?.properties?.["name"], own?.properties?.["generateName"]].every((part) => part?.type === "string")
  if (complete && own?.type === "object") return schema
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata } }
}
