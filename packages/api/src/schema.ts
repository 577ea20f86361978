/** What may stand where. "object" has known fields; "map" has any keys with values of one schema; "any" is opaque JSON. */
export type SchemaType = "object" | "map" | "list" | "string" | "integer" | "number" | "boolean" | "any"

export type PatchStrategy = "merge" | "replace" | "retainKeys"

/** The shape of a value. Recursive kinds (JSONSchemaProps) are possible: `fields` and `items` may be getters that decode at first use. */
export interface Schema {
  readonly type: SchemaType
  /** The name of an object type: "Container". */
  readonly name?: string
  /** "int32", "int64", "double", "byte", "date-time", "micro-time", "quantity", "int-or-string", "duration". */
  readonly format?: string
  readonly enum?: readonly string[]
  /** Of an "object". */
  readonly fields?: Readonly<Record<string, Field>>
  /** Of a "map" or "list". */
  readonly items?: Schema
  /** Of a "list", for server-side apply; atomic when absent. */
  readonly listType?: "atomic" | "set" | "map"
  readonly listMapKeys?: readonly string[]
  /** Of an "object" or "map", for server-side apply; granular when absent. */
  readonly mapType?: "atomic" | "granular"
}

/** A field of an object. */
export interface Field {
  readonly schema: Schema
  readonly required?: boolean
  readonly default?: unknown
  /** For strategic merge patches; a list or object without strategies is replaced or merged as its type says. */
  readonly patchStrategy?: readonly PatchStrategy[]
  readonly patchMergeKey?: string
}
