import type { Field, PatchStrategy, Schema, SchemaType } from "./schema.ts"

/**
 * The notation of generated/<group>/<version>.schema.ts: a line for the package ("apps/v1 io.k8s.api.apps.v1"), then one per type.
 *
 *   Deployment: @ metadata:.ObjectMeta= spec:DeploymentSpec= status:DeploymentStatus=
 *   ContainerPort: containerPort*:i= hostIP:s protocol:s<SCTP|TCP|UDP>=TCP
 *
 * After the name: "?" an opaque value; "@" a kind (has apiVersion and kind besides), "@*" one of every group version, "@x/v1" one of that; "!" atomic.
 * A field is name, "*" when required, ":", what it holds, then "&strategies:mergeKey" and "=default" ("=" alone: the zero value) where it has them.
 * It holds a letter (see `scalars`; an enum in <> with "_" for a space), a type (Name, .Name of meta/v1, core/v1.Name), or one of these with marks before it:
 * "[" an atomic list, "]" a list of no list type, "%" a set, "(a,b)" a list keyed by a and b, "{" a map; "!" atomic or "~" granular of a map or type.
 */
export interface TypeText {
  /** "@", "@*", "@meta.k8s.io/v1"; undefined when it is not a kind. */
  readonly kind?: string
  readonly opaque: boolean
  readonly atomic: boolean
  readonly fields: readonly string[]
}

/** The rest of the line of each type, by name. */
export function indexTypes(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\n").slice(1, -1)
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
}

/** Splits a line of the schema tables into the marks of a type and the words of its fields. */
export function readTypeText(line: string): TypeText {
  const words = line === "" ? [] : line.split(" ")
  const first = words.findIndex((word) => word.includes(":"))
  const marks = first < 0 ? words : words.slice(0, first)
  return {
    kind: marks.find((mark) => mark.startsWith("@")),
    opaque: marks.includes("?"),
    atomic: marks.includes("!"),
    fields: words.slice(marks.length),
  }
}

/** Gives the schema of "Container", ".ObjectMeta" or "core/v1.PodSpec" as seen from the file that says so. */
export type ResolveType = (reference: string) => Schema

/** Reads one field of the schema tables: name, `*` where it is required, type, patch strategy after `&`, default after `=`. */
export function readField(word: string, resolve: ResolveType): [name: string, field: Field] {
  const colon = word.indexOf(":")
  const equals = word.indexOf("=", colon)
  const ampersand = word.indexOf("&", colon)
  const end = equals < 0 ? word.length : equals
  const schema = readSchema(word.slice(colon + 1, ampersand < 0 ? end : ampersand), resolve)
  const field: Writable<Field> = { schema }
  const required = word[colon - 1] === "*"
  if (required) field.required = true
  if (equals >= 0) field.default = defaultValue(schema.type, word.slice(equals + 1))
  if (ampersand >= 0) addPatch(field, word.slice(ampersand + 1, end))
  return [word.slice(0, required ? colon - 1 : colon), field]
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

function addPatch(field: Writable<Field>, patch: string): void {
  const [strategies = "", mergeKey] = patch.split(":")
  field.patchStrategy = strategies.split(",") as PatchStrategy[]
  if (mergeKey !== undefined) field.patchMergeKey = mergeKey
}

const scalars: Readonly<Record<string, Schema>> = {
  s: { type: "string" },
  b: { type: "boolean" },
  n: { type: "number" },
  d: { type: "number", format: "double" },
  i: { type: "integer", format: "int32" },
  l: { type: "integer", format: "int64" },
  y: { type: "string", format: "byte" },
  t: { type: "string", format: "date-time" },
  m: { type: "string", format: "micro-time" },
  u: { type: "string", format: "duration" },
  q: { type: "string", format: "quantity" },
  o: { type: "string", format: "int-or-string" },
  r: { type: "any", name: "RawExtension", package: "io.k8s.apimachinery.pkg.runtime" },
  a: { type: "any" },
}

function readSchema(holds: string, resolve: ResolveType): Schema {
  const rest = holds.slice(1)
  if (rest === "") return scalars[holds] ?? resolve(holds)
  switch (holds[0]) {
    case "[":
      return { type: "list", items: readSchema(rest, resolve), listType: "atomic" }
    case "]":
      return { type: "list", items: readSchema(rest, resolve) }
    case "%":
      return { type: "list", items: readSchema(rest, resolve), listType: "set" }
    case "(":
      return keyedList(holds, resolve)
    case "{":
      return { type: "map", items: readSchema(rest, resolve) }
    case "!":
      return { ...readSchema(rest, resolve), mapType: "atomic" }
    case "~":
      return { ...readSchema(rest, resolve), mapType: "granular" }
    default:
      return enumeration(holds) ?? resolve(holds)
  }
}

function keyedList(holds: string, resolve: ResolveType): Schema {
  const end = holds.indexOf(")")
  const listMapKeys = holds.slice(1, end).split(",")
  return { type: "list", items: readSchema(holds.slice(end + 1), resolve), listType: "map", listMapKeys }
}

function enumeration(holds: string): Schema | undefined {
  if (holds[1] !== "<") return undefined
  return { type: "string", enum: holds.slice(2, -1).replaceAll("_", " ").split("|") }
}

const zero: Readonly<Partial<Record<SchemaType, unknown>>> = {
  string: "",
  integer: 0,
  number: 0,
  boolean: false,
  object: Object.freeze({}),
}

function defaultValue(type: SchemaType, value: string): unknown {
  if (value === "") return zero[type]
  return type === "string" ? value : JSON.parse(value)
}
