import type { Schema } from "@pilothouse/api"
import { fieldPath, itemPath } from "./field-path.ts"
import { workableDepth } from "./json-depth.ts"

/** What Go's types have at a place: their name, and their kind where a value is put into them without a method of their own. */
export interface GoType {
  readonly name: string
  readonly kind?: "struct" | "map" | "slice" | "string" | "bool" | "int32" | "int64" | "float64"
}

/** A value that its schema does not allow; decoding turns it into the Status that names the kind. */
export class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch"
  /** What Go says of the value where it comes of a strategic merge patch, which is put into Go's types without JSON between. */
  readonly unstructured: string

  constructor(message: string, unstructured = message) {
    super(message)
    this.unstructured = unstructured
  }
}

/** From an object, map or list to one of its values: the name of a field, a key, or an index. */
export type Step = string | number

/** Where an object, map or list stands in a body. Texts are made for messages alone. */
export class Place {
  /** Within how many others. */
  readonly depth: number
  readonly #schema: Schema
  readonly #at: Place | undefined
  readonly #step: Step

  /** `at` is undefined for the body itself. */
  constructor(schema: Schema, at: Place | undefined, step: Step) {
    this.depth = at === undefined ? 0 : at.depth + 1
    if (this.depth > workableDepth) throw new SchemaMismatch("exceeded max depth")
    this.#schema = schema
    this.#at = at
    this.#step = step
  }

  /** The name of the struct that a value of this place is in. */
  get struct(): string {
    return this.#schema.type === "object" ? (this.#schema.name ?? "") : (this.#at?.struct ?? "")
  }

  /** The path of a value, such as "spec.containers[0].name". */
  pathOf(step: Step): string {
    const path = this.#at === undefined ? "" : this.#at.pathOf(this.#step)
    return typeof step === "number" ? itemPath(path, step) : fieldPath(path, step)
  }

  /** The steps from the body to a value. */
  stepsTo(step: Step): readonly Step[] {
    return this.#at === undefined ? [step] : [...this.#at.stepsTo(this.#step), step]
  }

  /** The names of fields alone, without list numbers and keys of maps: so Go's decoder says where it was. */
  fieldsOf(step: Step): string {
    const fields = this.#at === undefined ? "" : this.#at.fieldsOf(this.#step)
    return this.#schema.type === "object" ? fieldPath(fields, String(step)) : fields
  }
}

/** Returns the path of a value; "" for the body itself. */
export function pathOf(at: Place | undefined, step: Step): string {
  return at === undefined ? "" : at.pathOf(step)
}

/** Returns where Go's decoder says that a value stands: "PodSpec.spec.containers". */
export function goPlaceOf(at: Place, step: Step): string {
  return `${at.struct}.${at.fieldsOf(step)}`
}

/** Throws in the words of Go's decoder, which is what people search for. */
export function mismatch(value: unknown, type: GoType, at: Place | undefined, step: Step): never {
  // A number that is of the right kind and still does not fit is named.
  const isNumber = typeof value === "number" || typeof value === "bigint"
  const found = isNumber ? `number${/^(?:int|float|double)/.test(type.name) ? ` ${value}` : ""}` : jsonWord(value)
  const where = at === undefined ? "value" : `struct field ${goPlaceOf(at, step)}`
  const message = `json: cannot unmarshal ${found} into Go ${where} of type ${type.name}`
  throw new SchemaMismatch(message, type.kind === undefined ? message : restoreFault(goKindOf(value), type.kind, type.name))
}

/** Throws for a number, by its text, that is larger than any double. */
export function beyondDouble(literal: string): never {
  throw new SchemaMismatch(`json: cannot unmarshal number ${literal} into Go value of type float64`)
}

function jsonWord(value: unknown): string {
  if (Array.isArray(value)) return "array"
  if (typeof value === "boolean") return "bool"
  return typeof value === "object" ? "object" : typeof value
}

/** Go converts between numbers, and from integers to texts, as far as its compiler would; JSON does not allow that. */
function restoreFault(found: string, kind: string, name: string): string {
  if (kind === "struct") return `cannot restore struct from: ${found}`
  if (kind === "map" || kind === "slice") return `cannot restore ${kind} from ${found}`
  const isConvertible = kind === "string" ? found === "int64" : kind !== "bool" && (found === "int64" || found === "float64")
  return isConvertible ? `cannot convert ${found} to ${name}` : `unrecognized type: ${kind}`
}

/** The kind of the type that a JSON value has in Go. */
function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice"
  switch (typeof value) {
    case "boolean":
      return "bool"
    case "number":
      return Number.isInteger(value) ? "int64" : "float64"
    case "bigint":
      return "int64"
    default:
      return typeof value === "object" ? "map" : typeof value
  }
}

/** Whether a value is a JSON object. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
