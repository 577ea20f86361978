/** What may stand where. "object" has known fields; "map" has any keys with values of one schema; "any" is opaque JSON. */
export type SchemaType = "object" | "map" | "list" | "string" | "integer" | "number" | "boolean" | "any"

/** How strategic merge patches treat a field: x-kubernetes-patch-strategy. */
export type PatchStrategy = "merge" | "replace" | "retainKeys"

/** The shape of a value. Plain data; a type that several fields have is one object, and recursive types (JSONSchemaProps) are cycles of it. */
export interface Schema {
  readonly type: SchemaType
  /** The name of an object type: "Container"; also of opaque ones: "RawExtension". */
  readonly name?: string
  /** Where the name is from: "io.k8s.api.core.v1". Together they are the name in OpenAPI documents. */
  readonly package?: string
  /**
   * "int32", "int64", "double", "byte", "date-time", "micro-time", "quantity", "int-or-string", "duration".
   * A quantity or int-or-string has type "string" but may be a number on the wire.
   */
  readonly format?: string
  readonly enum?: readonly string[]
  /** Of an "object". Without a prototype: asking for "constructor" or any other key from outside is safe. */
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
  /** What OpenAPI says. Most are only Go's zero value of a field that is always written ("", 0, false, {}); a server sets just the others. */
  readonly default?: unknown
  /** For strategic merge patches; a list or object without strategies is replaced or merged as its type says. */
  readonly patchStrategy?: readonly PatchStrategy[]
  readonly patchMergeKey?: string
}
