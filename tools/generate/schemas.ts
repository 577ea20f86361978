import { folder, type GeneratedFile, notice } from "./generated-file.ts"
import { metaPackage } from "./openapi.ts"
import type { OpenApiSchema } from "./openapi-schema.ts"
import { nameOf, type Package, packageOf, type TypeDefinition } from "./packages.ts"
import { type Scalar, type Shape, shapeOf } from "./shape.ts"

/** One letter each; src/schema-text.ts reads them. */
const letters: Readonly<Record<Scalar, string>> = {
  string: "s",
  boolean: "b",
  number: "n",
  double: "d",
  int32: "i",
  int64: "l",
  byte: "y",
  "date-time": "t",
  "micro-time": "m",
  duration: "u",
  quantity: "q",
  "int-or-string": "o",
  raw: "r",
  any: "a",
}

/** JSON of several shapes: nothing is known of what is inside. */
const opaque = new Set(["FieldsV1", "JSON", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"])

/** One string per package in the notation of src/schema-text.ts, and the table of them. */
export function generateSchemas(packages: readonly Package[]): GeneratedFile[] {
  const paths = new Map(packages.map((one) => [one.id, one.path]))
  const files = packages.map((one) => ({ path: `${folder}/${one.path}.schema.ts`, content: schemaFile(one, paths) }))
  return [...files, { path: `${folder}/all.schema.ts`, content: table(packages) }]
}

function schemaFile(one: Package, paths: ReadonlyMap<string, string>): string {
  const apiVersion = one.group === "" ? one.version : `${one.group}/${one.version}`
  const lines = one.types.map((type) => typeLine(one, type, paths))
  const text = [`${apiVersion} ${one.id}`, ...lines].join("\n")
  if (/[`\\]|\$\{/.test(text)) throw new Error(`${one.path}: a character would need escaping in a template literal`)
  return `${notice("schemas.ts")}export const schema = \`${text}\n\`\n`
}

function typeLine(one: Package, { name, schema }: TypeDefinition, paths: ReadonlyMap<string, string>): string {
  if (opaque.has(name)) return `${name}: ?`
  const kind = kindMark(one, schema)
  const atomic = schema["x-kubernetes-map-type"] === "atomic" ? "!" : undefined
  const implied = kind === undefined || schema.properties?.apiVersion === undefined ? [] : ["apiVersion", "kind"]
  const fields = Object.entries(schema.properties ?? {}).filter(([field]) => !implied.includes(field))
  const words = fields.map(([field, property]) => {
    const required = schema.required?.includes(field) ? "*" : ""
    return `${field}${required}:${expression(shapeOf(property), one, paths)}${patch(property)}${defaultOf(property)}`
  })
  return `${name}: ${[kind, atomic, ...words].filter((word) => word !== undefined).join(" ")}`.trimEnd()
}

/** "@" a kind of the file's own apiVersion; "@*" of every one; "@meta.k8s.io/v1" of that one. */
function kindMark(one: Package, schema: OpenApiSchema): string | undefined {
  const [gvk, ...more] = schema["x-kubernetes-group-version-kind"] ?? []
  if (gvk === undefined) return undefined
  if (more.length > 0) return "@*"
  return gvk.group === one.group && gvk.version === one.version ? "@" : `@${gvk.group}/${gvk.version}`
}

function expression(shape: Shape, one: Package, paths: ReadonlyMap<string, string>): string {
  switch (shape.is) {
    case "scalar":
      return `${letters[shape.scalar]}${shape.enum === undefined ? "" : enumeration(shape.enum)}`
    case "type":
      return `${mapMark(shape.mapType)}${reference(shape.id, one, paths)}`
    case "map":
      return `${mapMark(shape.mapType)}{${expression(shape.items, one, paths)}`
    case "list":
      return `${listMark(shape)}${expression(shape.items, one, paths)}`
  }
}

/** "<client_auth|server_auth>": words may not have spaces. */
function enumeration(values: readonly string[]): string {
  const clash = values.find((value) => /[_|<>&=]/.test(value))
  if (clash !== undefined) throw new Error(`enum value ${clash}: the notation has no way to write it`)
  return `<${values.join("|").replaceAll(" ", "_")}>`
}

function reference(id: string, one: Package, paths: ReadonlyMap<string, string>): string {
  if (packageOf(id) === one.id) return nameOf(id)
  return packageOf(id) === metaPackage ? `.${nameOf(id)}` : `${paths.get(packageOf(id))}.${nameOf(id)}`
}

const mapMark = (mapType: string | undefined): string => (mapType === "atomic" ? "!" : mapType === "granular" ? "~" : "")

function listMark({ listType, keys }: Extract<Shape, { is: "list" }>): string {
  if (listType === "map") return `(${keys?.join(",")})`
  return listType === "atomic" ? "[" : listType === "set" ? "%" : "]"
}

/** "&merge,retainKeys:name" */
function patch(property: OpenApiSchema): string {
  const strategy = property["x-kubernetes-patch-strategy"]
  const key = property["x-kubernetes-patch-merge-key"]
  return strategy === undefined ? "" : `&${strategy}${key === undefined ? "" : `:${key}`}`
}

/** Go's zero value, which most required fields have, is "=" alone. */
function defaultOf({ default: value }: OpenApiSchema): string {
  if (value === undefined) return ""
  if (value === "" || value === 0 || value === false || JSON.stringify(value) === "{}") return "="
  if (typeof value === "string" && /\s/.test(value)) throw new Error(`default ${JSON.stringify(value)}: words may not have spaces`)
  return `=${typeof value === "string" ? value : JSON.stringify(value)}`
}

function table(packages: readonly Package[]): string {
  const names = packages.map((one) => ({ name: one.path.replace("/", "_"), path: one.path }))
  return [
    notice("schemas.ts"),
    ...names.map(({ name, path }) => `import { schema as ${name} } from "./${path}.schema.ts"\n`),
    "\n/** Path and text of every package. */\n",
    "export const schemaTexts: readonly (readonly [path: string, text: string])[] = [\n",
    ...names.map(({ name, path }) => `  ["${path}", ${name}],\n`),
    "]\n",
  ].join("")
}
