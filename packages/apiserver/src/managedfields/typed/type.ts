// What a schema says about a value as far as ownership of its fields goes.
import { compareText, type Field, type Schema } from "@pilothouse/api"
import { goFormOf } from "@pilothouse/api/protobuf"
import type { FieldSet } from "../fieldpath/field-set.ts"
import { fieldElement, keyElement, nameText, type PathElement, valueElement } from "../fieldpath/path-element.ts"
import { type Change, changePrefixes } from "./change.ts"
import { type Prefixes, setPrefixes, type Token } from "./set-prefixes.ts"

/** "untyped" is any scalar: quantities, times, and numbers that may be texts. */
export type ScalarType = "numeric" | "string" | "boolean" | "untyped"

/** What may stand at a place: most types allow one of the three; one that is deduced from the value allows all. */
export interface Type {
  readonly scalar?: ScalarType
  readonly list?: ListType
  readonly map?: MapType
}

/** A list. One that is neither keyed nor a set is atomic: it is owned as a whole. */
export class ListType {
  readonly isAtomic: boolean
  /** In byte order; none for a set. */
  readonly keys: readonly string[]
  /** As the schema has them. */
  readonly declaredKeys: readonly string[]
  /** As elements have them. */
  readonly keyTexts: readonly string[]
  /** Of a list with one key. */
  readonly onlyKey: string | undefined
  /** What an item that lacks a key counts as, by key. */
  readonly defaults: ReadonlyMap<string, unknown>
  /** Of sets of items. */
  readonly prefixes: Prefixes<FieldSet>
  /** Of changes of items. */
  readonly changes: Prefixes<Change>
  readonly #itemsOf: () => Type
  #items: Type | undefined

  constructor(keys: readonly string[] | undefined, items: () => Type, defaults: ReadonlyMap<string, unknown>) {
    this.isAtomic = keys === undefined
    this.declaredKeys = keys ?? []
    this.keys = this.declaredKeys.toSorted(compareText)
    this.keyTexts = this.keys.map(nameText)
    this.onlyKey = this.keys.length === 1 ? this.keys[0] : undefined
    this.defaults = defaults
    this.#itemsOf = items
    this.prefixes = setPrefixes((token) => this.elementOf(token))
    this.changes = changePrefixes((token) => this.elementOf(token))
  }

  /** The element of the items that have a token. */
  elementOf(token: Token): PathElement {
    if (this.keys.length > 0 && isWholeElement(token)) return token.slice(1)
    return this.keys.length === 0 ? valueElement(token) : keyElement([[this.keys[0]!, token]])
  }

  get items(): Type {
    this.#items ??= this.#itemsOf()
    return this.#items
  }
}

/** Marks a token that is the text of an element, and not the value of a list's only key. No real key begins so. */
export const wholeElement = "\u0000"

function isWholeElement(token: Token): token is string {
  return typeof token === "string" && token.startsWith(wholeElement)
}

/** An object with named fields, a map with any keys, or both. One that is atomic is owned as a whole. */
export class MapType {
  readonly isAtomic: boolean
  /** Fields that Go writes as null when they are empty or unset, so that they are there in every object. */
  readonly nulls: readonly string[]
  /** Of sets of fields. */
  readonly prefixes = setPrefixes((token) => fieldElement(token as string))
  /** Of changes of fields. */
  readonly changes = changePrefixes((token) => fieldElement(token as string))
  /** Sets of an object of this type, by what they were before they were reconciled with it: most are met again and again. */
  readonly reconciled = new WeakMap<FieldSet, FieldSet>()
  readonly #fields: Readonly<Record<string, Field>>
  readonly #elementsOf: (() => Type) | undefined
  #elements: Type | undefined
  readonly #always: () => readonly { readonly name: string; readonly zero: () => unknown }[]
  /** What `#fields` says of the fields that were asked for. */
  readonly #named = new Map<string, Type>()
  #zero: Readonly<Record<string, unknown>> | undefined

  constructor({ schema, elements }: { readonly schema: Schema; readonly elements: (() => Type) | undefined }) {
    this.isAtomic = schema.mapType === "atomic"
    this.#fields = schema.fields !== undefined && Object.keys(schema.fields).length > 0 ? schema.fields : noFields
    this.#elementsOf = elements
    const { nulls, always } = schema.type === "object" ? goFormOf(schema) : noForm
    this.nulls = nulls
    this.#always = () => always
  }

  /** Whether nothing at all is said of its keys. */
  get isDeduced(): boolean {
    return this.#fields === noFields && this.#elementsOf?.() === deducedType
  }

  /** Of a field that the schema names. */
  named(key: string): Type | undefined {
    if (this.#fields === noFields) return undefined
    const known = this.#named.get(key)
    if (known !== undefined || !Object.hasOwn(this.#fields, key)) return known
    const type = typeOfField(this.#fields[key]!)
    this.#named.set(key, type)
    return type
  }

  /** Of a field or key; undefined for one that is not declared. */
  at(key: string): Type | undefined {
    return this.named(key) ?? (this.#elements ??= this.#elementsOf?.())
  }

  /** The object that Go writes when none of the fields is set. */
  get zero(): Readonly<Record<string, unknown>> {
    this.#zero ??= Object.freeze(Object.fromEntries(this.#always().map(({ name, zero }) => [name, zero()])))
    return this.#zero
  }
}

const noFields: Readonly<Record<string, Field>> = {}
const noForm = { nulls: [], always: [] } as const

const types = new WeakMap<Schema, Type>()

/** The type of a schema; the same one at every call. */
export function typeOf(schema: Schema): Type {
  const known = types.get(schema)
  if (known !== undefined) return known
  const type = compiled(schema, schema.listType === "map" ? schema.listMapKeys : schema.listType === "set" ? [] : undefined)
  types.set(schema, type)
  return type
}

/** A list of no list type is keyed or a set where strategic merge patches say so of the field. */
function typeOfField({ schema, patchStrategy, patchMergeKey }: Field): Type {
  const isMerged = schema.type === "list" && schema.listType === undefined && patchStrategy?.includes("merge")
  return isMerged ? compiled(schema, patchMergeKey === undefined ? [] : [patchMergeKey]) : typeOf(schema)
}

function compiled(schema: Schema, listKeys: readonly string[] | undefined): Type {
  switch (schema.type) {
    case "object":
    case "map":
      return { map: new MapType({ schema, elements: elementsOf(schema) }) }
    case "list":
      return { list: new ListType(listKeys, itemsOf(schema), keyDefaults(schema, listKeys ?? [])) }
    case "string":
      return stringType(schema.format)
    case "integer":
    case "number":
      return { scalar: "numeric" }
    case "boolean":
      return { scalar: "boolean" }
    case "any":
      return schema.name === "RawExtension" ? untypedType : deducedType
  }
}

/** Of keys that are not named: an object has none, but for one without any field, which is free in form. */
function elementsOf({ type, items, fields }: Schema): (() => Type) | undefined {
  if (items !== undefined) return () => typeOf(items)
  return type === "map" || fields === undefined || Object.keys(fields).length === 0 ? () => deducedType : undefined
}

function itemsOf({ items }: Schema): () => Type {
  return items === undefined ? () => untypedType : () => typeOf(items)
}

function keyDefaults({ items }: Schema, keys: readonly string[]): ReadonlyMap<string, unknown> {
  const defaults = keys.map((key) => [key, items?.fields?.[key]?.default] as const)
  return new Map(defaults.filter(([, value]) => value !== undefined && value !== null))
}

function stringType(format: string | undefined): Type {
  // Kubernetes' OpenAPI gives no type to what may be a number or a text.
  if (format === "int-or-string") return deducedType
  return { scalar: format === undefined || format === "byte" || format === "duration" ? "string" : "untyped" }
}

/** Anything, owned as a whole. */
const untypedType: Type = {
  scalar: "untyped",
  list: new ListType(undefined, () => untypedType, new Map()),
  map: new MapType({ schema: { type: "map", mapType: "atomic" }, elements: () => untypedType }),
}

/** Anything: lists are owned as a whole, maps key by key. */
export const deducedType: Type = {
  scalar: "untyped",
  list: new ListType(undefined, () => untypedType, new Map()),
  map: new MapType({ schema: { type: "map" }, elements: () => deducedType }),
}
