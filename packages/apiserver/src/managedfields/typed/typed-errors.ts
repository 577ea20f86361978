import { quoted, type Schema } from "@pilothouse/api"
import { goFormat } from "@pilothouse/api/patch"
import { elementText } from "../fieldpath/field-path.ts"
import { fieldElement, maxDepth } from "../fieldpath/path-element.ts"
import { formOf, isJsonMap } from "./json-value.ts"
import { itemElement, itemToken, orTypedError, TypedError } from "./list-items.ts"
import type { Token } from "./set-prefixes.ts"
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
  walk.check(typeOf(schema), value, undefined, "")
  return walk.errors
}

/** One error as it is, several as a list. */
export function typedFailure(errors: readonly string[]): string {
  return errors.length === 1 ? errors[0]! : ["errors:", ...errors.map((error) => `  ${error}`)].join("\n")
}

/** Where a map or list is that a walk is in. Texts are made for errors alone. */
class Place {
  readonly depth: number
  readonly #form: MapType | ListType
  readonly #parent: Place | undefined
  readonly #step: Step

  constructor(form: MapType | ListType, parent: Place | undefined, step: Step) {
    this.depth = parent === undefined ? 0 : parent.depth + 1
    this.#form = form
    this.#parent = parent
    this.#step = step
  }

  /** The path of a value of the map or list. */
  pathOf(step: Step): string {
    const element = this.#form instanceof ListType ? itemOf(this.#form, step) : fieldElement(step as string)
    return `${this.#parent === undefined ? "" : this.#parent.pathOf(this.#step)}${elementText(element)}`
  }
}

/** The name of a field, the index of an item of an atomic list, or an item of another list. */
type Step = unknown

function itemOf(list: ListType, step: Step): string {
  return list.isAtomic ? `i:${step as number}` : itemElement(list, step)
}

class Walk {
  readonly errors: string[] = []
  readonly #allowDuplicates: boolean

  constructor(allowDuplicates: boolean) {
    this.#allowDuplicates = allowDuplicates
  }

  /** Of a value that stands at a step from a place; from none for the whole. */
  check(type: Type, value: unknown, place: Place | undefined, step: Step): void {
    if (value === null || value === undefined) return
    if (place !== undefined && place.depth >= maxDepth) return this.#add(place, step, "exceeded max depth")
    const form = formOf(type, value)
    if (form === undefined || typeof form === "string") return this.#checkScalar(form ?? "untyped", value, place, step)
    if (form instanceof ListType) return this.#checkList(form, value, place, step)
    this.#checkMap(form, value, place, step)
  }

  #checkScalar(scalar: ScalarType, value: unknown, place: Place | undefined, step: Step): void {
    const isNumber = typeof value === "number" || typeof value === "bigint"
    if (scalar === "numeric" && !isNumber) this.#add(place, step, `expected numeric (int or float), got ${goTypeName(value)}`)
    if (scalar === "string" && typeof value !== "string")
      this.#add(place, step, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)
    if (scalar === "boolean" && typeof value !== "boolean") this.#add(place, step, `expected boolean, got ${goPointer(value)}`)
    if (scalar === "untyped" && typeof value === "object") this.#add(place, step, `expected any scalar, got ${goPointer(value)}`)
  }

  #checkMap(type: MapType, value: unknown, parent: Place | undefined, step: Step): void {
    if (!isJsonMap(value)) return this.#add(parent, step, `expected map, got ${goPointer(value)}`)
    const place = new Place(type, parent, step)
    for (const key of Object.keys(value)) {
      const inner = value[key]
      if (inner === undefined) continue
      const declared = type.at(key)
      if (declared === undefined) return this.#add(place, key, "field not declared in schema")
      this.check(declared, inner, place, key)
    }
  }

  #checkList(type: ListType, value: unknown, parent: Place | undefined, step: Step): void {
    if (!Array.isArray(value)) return this.#add(parent, step, `expected list, got ${goPointer(value)}`)
    const place = new Place(type, parent, step)
    const seen = new Set<Token>()
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (type.isAtomic) {
        this.check(type.items, item, place, index)
        continue
      }
      const token = orTypedError(itemToken, type, item)
      if (token instanceof TypedError) return this.#add(parent, step, `element ${index}: ${token.message}`)
      if (seen.has(token) && !this.#allowDuplicates)
        this.#add(parent, step, `duplicate entries for key ${elementText(itemElement(type, item))}`)
      seen.add(token)
      this.check(type.items, item, place, item)
    }
  }

  #add(place: Place | undefined, step: Step, message: string): void {
    this.errors.push(place === undefined ? message : `${place.pathOf(step)}: ${message}`)
  }
}

// Values the way Go prints what was decoded from a body: clients compare these messages.

/** What %v prints for a pointer to a value: `&{5}`. */
function goPointer(value: unknown): string {
  return `&{${goFormat(value)}}`
}

/** What %#v prints: `5`, `[]interface {}{"a"}`, `map[string]interface {}{"a":1}`. */
function goSyntax(value: unknown): string {
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object") return goFormat(value)
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
