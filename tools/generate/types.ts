import { folder, type GeneratedFile, notice } from "./generated-file.ts"
import { metaPackage } from "./openapi.ts"
import type { OpenApiSchema } from "./openapi-schema.ts"
import { nameOf, type Package, packageOf, type TypeDefinition } from "./packages.ts"
import { type Scalar, type Shape, shapeOf } from "./shape.ts"

/** Every other type stands on these, so they are written by hand in src/meta.ts. */
const byHand = new Set(["ObjectMeta", "OwnerReference", "ManagedFieldsEntry", "ListMeta", "LabelSelector", "LabelSelectorRequirement"])

const scalarTypes: Readonly<Record<Scalar, string>> = {
  string: "string",
  boolean: "boolean",
  number: "number",
  double: "number",
  int32: "number",
  int64: "Int64",
  byte: "string",
  "date-time": "Time",
  "micro-time": "MicroTime",
  duration: "Duration",
  quantity: "Quantity",
  "int-or-string": "IntOrString",
  raw: "unknown",
  any: "unknown",
}

const aliases = new Set(["Time", "MicroTime", "Duration", "Quantity", "Int64", "IntOrString"])

/** Types whose JSON is one of several shapes, which OpenAPI has no words for. */
const eitherOr: Readonly<Record<string, string>> = {
  JSON: "unknown",
  FieldsV1: "Readonly<Record<string, unknown>>",
  JSONSchemaPropsOrArray: "JSONSchemaProps | readonly JSONSchemaProps[]",
  JSONSchemaPropsOrBool: "JSONSchemaProps | boolean",
  JSONSchemaPropsOrStringArray: "JSONSchemaProps | readonly string[]",
}

export function generateTypes(packages: readonly Package[]): GeneratedFile[] {
  const paths = new Map(packages.map((one) => [one.id, one.path]))
  return packages.map((one) => ({ path: `${folder}/${one.path}.types.ts`, content: new TypesFile(one, paths).content() }))
}

/** Between calls, `#imports` names every type of another file that the text so far speaks of. */
class TypesFile {
  readonly #package: Package
  readonly #paths: ReadonlyMap<string, string>
  readonly #own: ReadonlySet<string>
  readonly #imports = new Map<string, Set<string>>()

  constructor(one: Package, paths: ReadonlyMap<string, string>) {
    this.#package = one
    this.#paths = paths
    const names = one.types.map((type) => type.name)
    this.#own = new Set(one.id === metaPackage ? names.filter((name) => !byHand.has(name)) : names)
  }

  content(): string {
    const isMeta = this.#package.id === metaPackage
    const types = this.#package.types.filter((type) => this.#own.has(type.name)).map((type) => this.#declaration(type))
    const imports = [...this.#imports].sort().map(([file, names]) => `import type { ${[...names].sort().join(", ")} } from "${file}"\n`)
    const again = [...byHand].sort().join(", ")
    const exports = isMeta
      ? `export type { ${again} } from "../../meta/meta.ts"\nexport type { ${[...aliases].sort().join(", ")} } from "../../quantity/scalars.ts"\n`
      : ""
    return [notice("types.ts"), ...imports, exports, ...types.map((type) => `\n${type}`)].join("")
  }

  #declaration({ name, schema }: TypeDefinition): string {
    const other = eitherOr[name]
    if (other !== undefined) return `export type ${name} = ${other}\n`
    if (schema.properties === undefined) return `export type ${name} = Readonly<Record<string, never>>\n`
    const kind = new Kind(schema)
    const fields = Object.entries(schema.properties).sort(([a], [b]) => kind.rank(a) - kind.rank(b))
    const lines = fields.map(([field, property]) => {
      const type = kind.literal(field) ?? this.#type(shapeOf(property))
      const optional = kind.always(field) || schema.required?.includes(field) ? "" : "?"
      return `  readonly ${/^[\w$]+$/.test(field) ? field : JSON.stringify(field)}${optional}: ${type}\n`
    })
    return `export interface ${name} {\n${lines.join("")}}\n`
  }

  #type(shape: Shape): string {
    switch (shape.is) {
      case "scalar":
        return shape.enum?.map((value) => JSON.stringify(value)).join(" | ") ?? this.#scalar(scalarTypes[shape.scalar])
      case "type":
        return this.#reference(shape.id)
      case "map":
        return `Readonly<Record<string, ${this.#type(shape.items)}>>`
      case "list": {
        const items = this.#type(shape.items)
        return items.includes(" | ") ? `readonly (${items})[]` : `readonly ${items}[]`
      }
    }
  }

  #scalar(name: string): string {
    return aliases.has(name) ? this.#import("../../quantity/scalars.ts", name) : name
  }

  #reference(id: string): string {
    const name = nameOf(id)
    if (packageOf(id) === metaPackage && byHand.has(name)) return this.#import("../../meta/meta.ts", name)
    if (packageOf(id) === this.#package.id) return name
    return this.#import(`../${this.#paths.get(packageOf(id))}.types.ts`, name)
  }

  #import(file: string, name: string): string {
    if (this.#own.has(name)) throw new Error(`${this.#package.path} has a ${name} of its own: that of ${file} needs another name here`)
    const names = this.#imports.get(file) ?? new Set()
    this.#imports.set(file, names.add(name))
    return name
  }
}

/** What being a kind makes of the fields apiVersion, kind and metadata. */
class Kind {
  readonly #fields: Readonly<Record<string, string>>
  readonly #always: ReadonlySet<string>

  constructor(schema: OpenApiSchema) {
    const [gvk, ...more] = schema["x-kubernetes-group-version-kind"] ?? []
    const isKind = gvk !== undefined && schema.properties?.apiVersion !== undefined
    // Options are the body or the query of a request, and servers take them without either field; DeleteOptions is in every group version.
    const apiVersion = gvk?.group ? `${gvk.group}/${gvk.version}` : gvk?.version
    this.#fields = isKind ? { kind: JSON.stringify(gvk.kind), apiVersion: more.length > 0 ? "string" : JSON.stringify(apiVersion) } : {}
    this.#always = new Set(isKind && !gvk.kind.endsWith("Options") ? ["apiVersion", "kind", "metadata"] : [])
  }

  literal(field: string): string | undefined {
    return this.#fields[field]
  }

  always(field: string): boolean {
    return this.#always.has(field)
  }

  rank(field: string): number {
    const first = ["apiVersion", "kind", "metadata"].indexOf(field)
    return this.#always.size === 0 || first < 0 ? 3 : first
  }
}
