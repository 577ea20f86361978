/** The sorts of types: scalars, containers, and the three that only a checker knows (dyn, param, error). */
export type TypeKind =
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "object"
  | "opaque"
  | "param"
  | "string"
  | "timestamp"
  | "type"
  | "uint"

/** Parts of one type. Each link of a chain of macros can double its type, and whatever reads types would take exponential time. */
const maxTypeParts = 10_000

/** The types of an expression cannot be found in bounded time. */
export class TypesTooLarge extends Error {
  override readonly name = "TypesTooLarge"

  constructor() {
    super(`types of the expression are too large: limit ${maxTypeParts} parts`)
  }
}

/** A type of the language. Types are immutable values; `sameType` compares them. */
export class Type {
  readonly kind: TypeKind
  /** The name an expression would use: `int`, `list`, `google.protobuf.Timestamp`, or an object type's own name. */
  readonly name: string
  /** The element of a list, key and value of a map, the parameters of an opaque type. */
  readonly parameters: readonly Type[]
  /** How many types it is made of, itself among them. */
  readonly parts: number

  constructor(kind: TypeKind, name: string, parameters: readonly Type[] = []) {
    this.kind = kind
    this.name = name
    this.parameters = parameters
    this.parts = parameters.reduce((sum, { parts }) => sum + parts, 1)
    if (this.parts > maxTypeParts) throw new TypesTooLarge()
  }

  /** How messages write the type, for example `map(string, list(int))`. */
  toString(): string {
    const name = displayNames[this.kind] ?? this.name
    return this.parameters.length === 0 ? name : `${name}(${this.parameters.join(", ")})`
  }
}

/** Messages use short words where the type's own name is a qualified or internal one. */
const displayNames: Readonly<Partial<Record<TypeKind, string>>> = {
  duration: "duration",
  error: "!error!",
  null: "null",
  timestamp: "timestamp",
}

/** The types without parameters. `dyn` agrees with every type; `error` is what the checker continues with after an error. */
export const boolType = new Type("bool", "bool")
export const bytesType = new Type("bytes", "bytes")
export const doubleType = new Type("double", "double")
export const durationType = new Type("duration", "google.protobuf.Duration")
export const dynType = new Type("dyn", "dyn")
export const errorType = new Type("error", "!error!")
export const intType = new Type("int", "int")
export const nullType = new Type("null", "null_type")
export const stringType = new Type("string", "string")
export const timestampType = new Type("timestamp", "google.protobuf.Timestamp")
export const uintType = new Type("uint", "uint")
/** The type of types whose parameter is not known. */
export const typeType = new Type("type", "type")

/** Returns the type of lists of one element type. */
export function listType(element: Type): Type {
  return new Type("list", "list", [element])
}

/** Returns the type of maps from one key type to one value type. */
export function mapType(key: Type, value: Type): Type {
  return new Type("map", "map", [key, value])
}

/** Returns the type of a type, as `type(1)` has it. */
export function typeOfType(type: Type): Type {
  return new Type("type", "type", [type])
}

const optionalName = "optional_type"

/** Returns the type of optionals of one type. */
export function optionalType(value: Type): Type {
  return new Type("opaque", optionalName, [value])
}

/** Reports whether a type is that of optionals. */
export function isOptional({ kind, name }: Type): boolean {
  return kind === "opaque" && name === optionalName
}

/** Returns a type that only its own functions look into, for example `kubernetes.Quantity`. */
export function opaqueType(name: string, ...parameters: readonly Type[]): Type {
  return new Type("opaque", name, parameters)
}

/** Returns an object type by its name; the environment says which fields it has. */
export function objectType(name: string): Type {
  return new Type("object", name)
}

/** Returns a type parameter of an overload, or a variable of the checker. */
export function paramType(name: string): Type {
  return new Type("param", name)
}

/** Reports whether a type accepts any value at run time. */
export function isDyn(type: Type): boolean {
  return type.kind === "dyn"
}

/** Reports whether a type is dyn, or already reported as an error. */
export function isDynOrError(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "error"
}

/** Reports whether two types are equal in every part. */
export function sameType(left: Type, right: Type): boolean {
  if (left === right) return true
  return (
    left.kind === right.kind &&
    left.name === right.name &&
    left.parameters.length === right.parameters.length &&
    left.parameters.every((parameter, index) => sameType(parameter, right.parameters[index] as Type))
  )
}

/** Returns the type inside an optional, or the type itself, and whether it was one. */
export function unwrapOptional(type: Type): { readonly type: Type; readonly optional: boolean } {
  return isOptional(type) ? { type: type.parameters[0] ?? dynType, optional: true } : { type, optional: false }
}
