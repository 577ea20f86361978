import { schemaTexts } from "./generated/all.schema.ts"
import type { Field, Schema } from "./schema/schema.ts"
import { indexTypes, readField, readTypeText, type TypeText } from "./schema/schema-text.ts"

// The module's only state is a pure cache of constant text (kinds and types decoded so far): whether it is filled makes no difference
// to any caller but in time, and it is bounded by the kinds and types there are, about 620.
const kinds = new Map<string, Schema>()

/**
 * The schema of a kind, decoded (with every type it reaches) at the first call: a Pod with its 130 types takes 2 to 5 ms, then it is a lookup.
 * Also of bodies without a resource of their own: Scale, Eviction, Binding, TokenRequest, Status, Table; DeleteOptions and WatchEvent of any group version.
 */
export function schemaOf(gvk: { readonly group: string; readonly version: string; readonly kind: string }): Schema | undefined {
  const apiVersion = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`
  const key = `${apiVersion} ${gvk.kind}`
  return kinds.get(key) ?? findKind(key, apiVersion, gvk.kind)
}

function findKind(key: string, apiVersion: string, kind: string): Schema | undefined {
  const own = packages.find((one) => one.apiVersion === apiVersion && one.isKind(kind, apiVersion))
  const schema = own?.type(kind)
  if (schema !== undefined) kinds.set(key, schema)
  // Not remembered: any custom group version has DeleteOptions, and there is no bound on their names.
  return schema ?? (meta.isKind(kind, apiVersion) ? meta.type(kind) : undefined)
}

/** Returns the schema of a type by its name in OpenAPI documents: "io.k8s.api.core.v1.Container". */
export function schemaOfType(name: string): Schema | undefined {
  const dot = name.lastIndexOf(".")
  return packages.find((one) => one.id === name.slice(0, dot))?.type(name.slice(dot + 1))
}

const typeMeta = { apiVersion: { schema: { type: "string" } }, kind: { schema: { type: "string" } } } as const

/** `#decoded` holds what `#lines` says, and never anything else. */
class Package {
  readonly path: string
  readonly apiVersion: string
  /** "io.k8s.api.apps.v1" */
  readonly id: string
  readonly #text: string
  readonly #decoded = new Map<string, Schema>()
  #lines: ReadonlyMap<string, string> | undefined

  constructor(path: string, text: string) {
    const [apiVersion = "", id = ""] = text.slice(0, text.indexOf("\n")).split(" ")
    this.path = path
    this.apiVersion = apiVersion
    this.id = id
    this.#text = text
  }

  isKind(name: string, apiVersion: string): boolean {
    const mark = this.#line(name)?.split(" ", 1)[0]
    return mark === "@*" || mark === `@${apiVersion}` || (mark === "@" && this.apiVersion === apiVersion)
  }

  type(name: string): Schema | undefined {
    const known = this.#decoded.get(name)
    if (known !== undefined) return known
    const line = this.#line(name)
    return line === undefined ? undefined : this.#decode(name, readTypeText(line))
  }

  #decode(name: string, text: TypeText): Schema {
    const fields: Record<string, Field> = Object.create(null)
    const object = { type: "object", name, package: this.id, fields } as const
    const schema: Schema = text.opaque ? { type: "any", name, package: this.id } : text.atomic ? { ...object, mapType: "atomic" } : object
    // Known before its fields are read: a type may hold itself.
    this.#decoded.set(name, schema)
    if (text.kind !== undefined && name !== "WatchEvent") Object.assign(fields, typeMeta)
    const resolve = (reference: string) => this.#referenced(reference)
    for (const word of text.fields) {
      const [fieldName, field] = readField(word, resolve)
      fields[fieldName] = field
    }
    return schema
  }

  #referenced(reference: string): Schema {
    const dot = reference.indexOf(".")
    const holder = dot < 0 ? this : dot === 0 ? meta : packages.find((one) => one.path === reference.slice(0, dot))
    const schema = holder?.type(reference.slice(dot + 1))
    if (schema === undefined) throw new Error(`schema text of ${this.path}: there is no type ${reference}`)
    return schema
  }

  #line(name: string): string | undefined {
    this.#lines ??= indexTypes(this.#text)
    return this.#lines.get(name)
  }
}

const packages: readonly Package[] = schemaTexts.map(([path, text]) => new Package(path, text))
const meta = packages.find((one) => one.path === "meta/v1") as Package
