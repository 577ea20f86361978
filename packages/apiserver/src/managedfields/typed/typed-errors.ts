import { quoted, type Schema } from "@pilothouse/api"
import { goFormat } from "@pilothouse/api/patch"
import { elementText } from "../fieldpath/field-path.ts"
import { fieldElement, maxDepth } from "../fieldpath/path-element.ts"
import { formOf, isJsonMap } from "./json-value.ts"
import { itemElement, orTypedError, TypedError } from "./list-items.ts"
import { ListType, type MapType, type ScalarType, type Type, typeOf } from "./type.ts"

export interface TypedErrorsOptions {
  /** Whether a keyed list or set may hold an item twice: live objects may, applied configurations may not. */
  readonly allowDuplicates: boolean
}

/**
 * Where a value is not what its schema says, in upstream's words: `.spec.foo: field not declared in schema`. No field of an object is looked at behind one
 * that is not declared, and no item behind one without a key.
 */
export function typedErrors(value: unknown, schema: Schema, { allowDuplicates }: TypedErrorsOptions): readonly string[] {
  const walk = new Walk(allowDuplicates)
  walk.check(typeOf(schema), value, undefined)
  return walk.errors
}

/** One error as it is, several as a list. */
export function typedFailure(errors: readonly string[]): string {
  return errors.length === 1 ? errors[0]! : ["errors:", ...errors.map((error) => `  ${error}`)].join("\n")
}

/** Where a walk is: the text is made for errors alone. */
interface Place {
  readonly parent: Place | undefined
  readonly element: string
  readonly depth: number
}

class Walk {
  readonly errors: string[] = []
  readonly #allowDuplicates: boolean

  constructor(allowDuplicates: boolean) {
    this.#allowDuplicates = allowDuplicates
  }

  check(type: Type, value: unknown, place: Place | undefined): void {
    if (value === null || value === undefined) return
    if (place !== undefined && place.depth > maxDepth) return this.#add(place, "exceeded max depth")
    const form = formOf(type, value)
    if (form === undefined || typeof form === "string") return this.#checkScalar(form ?? "untyped", value, place)
    if (form instanceof ListType) return this.#checkList(form, value, place)
    this.#checkMap(form, value, place)
  }

  #checkScalar(scalar: ScalarType, value: unknown, place: Place | undefined): void {
    const isNumber = typeof value === "number" || typeof value === "bigint"
    if (scalar === "numeric" && !isNumber) this.#add(place, `expected numeric (int or float), got ${goTypeName(value)}`)
    if (scalar === "string" && typeof value !== "string")
      this.#add(place, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)
    if (scalar === "boolean" && typeof value !== "boolean") this.#add(place, `expected boolean, got ${goPointer(value)}`)
    if (scalar === "untyped" && typeof value === "object") this.#add(place, `expected any scalar, got ${goPointer(value)}`)
  }

  #checkMap(type: MapType, value: unknown, place: Place | undefined): void {
    if (!isJsonMap(value)) return this.#add(place, `expected map, got ${goPointer(value)}`)
    for (const key of Object.keys(value)) {
      const inner = value[key]
      if (inner === undefined) continue
      const at = below(place, fieldElement(key))
      const declared = type.at(key)
      if (declared === undefined) return this.#add(at, "field not declared in schema")
      this.check(declared, inner, at)
    }
  }

  #checkList(type: ListType, value: unknown, place: Place | undefined): void {
    if (!Array.isArray(value)) return this.#add(place, `expected list, got ${goPointer(value)}`)
    if (type.isAtomic) {
      for (const [index, item] of value.entries()) this.check(type.items, item, below(place, `i:${index}`))
      return
    }
    const seen = new Set<string>()
    for (const [index, item] of value.entries()) {
      const element = orTypedError(itemElement, type, item)
      if (element instanceof TypedError) return this.#add(place, `element ${index}: ${element.message}`)
      if (seen.has(element) && !this.#allowDuplicates) this.#add(place, `duplicate entries for key ${elementText(element)}`)
      seen.add(element)
      this.check(type.items, item, below(place, element))
    }
  }

  #add(place: Place | undefined, message: string): void {
    this.errors.push(place === undefined ? message : `${textOf(place)}: ${message}`)
  }
}

function below(parent: Place | undefined, element: string): Place {
  return { parent, element, depth: (parent?.depth ?? 0) + 1 }
}

function textOf(place: Place): string {
  const elements: string[] = []
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) elements.push(elementText(at.element))
  return elements.reverse().join("")
}

// Values the way Go prints what was decoded from a body: clients compare these messages.

/** What %v prints for a pointer to a value: `&{5}`. */
function goPointer(value: unknown): string {
  return `&{${goFormat(value)}}`
}

/** What %#v prints: `5`, `[]interface {}{"a"}`, `map[string]interface {}{"a":1}`. */
function goSyntax(value: unknown): string {
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object") return String(value)
  if (value === null) return "interface {}(nil)"
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`
  const keys = Object.keys(value).sort()
  const entries = keys.map((key) => `${quoted(key)}:${goSyntax((value as Readonly<Record<string, unknown>>)[key])}`)
  return `map[string]interface {}{${entries.join(", ")}}`
}

/** What %T prints for what is no number. */
function goTypeName(value: unknown): string {
  if (typeof value !== "object") return typeof value === "boolean" ? "bool" : "string"
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}"
}
