// Writes the protobuf tables of packages/api: one string per group-version, in the notation that packages/api/src/protobuf/table.ts reads and documents.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { GeneratedFile } from "./generated-file.ts"
import type { GoModules } from "./go-modules.ts"
import { type GoField, type GoPackage, parseGo } from "./protobuf-go.ts"
import { type ProtoField, type ProtoFile, parseProto } from "./protobuf-proto.ts"

interface Package {
  /** "core/v1": the folder of the group, and how tables refer to each other. */
  readonly path: string
  readonly apiVersion: string
  readonly proto: ProtoFile
  readonly go: GoPackage
}

const scalars: Readonly<Record<string, string>> = { string: "s", int32: "i", int64: "l", bool: "b", bytes: "y", double: "d" }

/** Messages whose JSON is not an object with their fields. */
const oddTypes: Readonly<Record<string, string>> = {
  "k8s.io.apimachinery.pkg.apis.meta.v1.Time": "t",
  "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime": "u",
  "k8s.io.apimachinery.pkg.apis.meta.v1.Duration": "n",
  "k8s.io.apimachinery.pkg.api.resource.Quantity": "q",
  "k8s.io.apimachinery.pkg.util.intstr.IntOrString": "x",
  "k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1": "j",
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON": "j",
  "k8s.io.apimachinery.pkg.runtime.RawExtension": "r",
}

/** JSON that is one of several things: the fields in the order in which the first present one wins. */
const unions: Readonly<Record<string, string>> = {
  JSONSchemaPropsOrArray: "|JSONSchemaPropsOrArray list=2*JSONSchemaProps schema=1?JSONSchemaProps",
  JSONSchemaPropsOrStringArray: "|JSONSchemaPropsOrStringArray list=2* schema=1?JSONSchemaProps",
  JSONSchemaPropsOrBool: "|JSONSchemaPropsOrBool schema=2?JSONSchemaProps allows=1!b",
}

export function generateProtobuf(modules: GoModules): GeneratedFile[] {
  const packages = readPackages(modules)
  const writer = new TableWriter(packages)
  for (const one of packages) writer.addKinds(one)
  const files = packages.map((one) => tableFile(one, writer.linesOf(one)))
  return [...files, indexFile(packages)]
}

function readPackages(modules: GoModules): Package[] {
  const found: Package[] = []
  for (const group of readdirSync(modules.api).sort()) {
    for (const version of ["v1", "v2"]) {
      const directory = join(modules.api, group, version)
      if (existsSync(join(directory, "generated.proto"))) found.push(readPackage(directory, `${group}/${version}`))
    }
  }
  found.push(readPackage(join(modules.apiextensions, "pkg/apis/apiextensions/v1"), "apiextensions/v1"))
  found.push(readPackage(join(modules.aggregator, "pkg/apis/apiregistration/v1"), "apiregistration/v1"))
  found.push(readPackage(join(modules.metrics, "pkg/apis/metrics/v1beta1"), "metrics/v1beta1"))
  found.push(readPackage(join(modules.apimachinery, "pkg/apis/meta/v1"), "meta/v1"))
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function readPackage(directory: string, path: string): Package {
  const protoPath = join(directory, "generated.proto")
  const sources = readdirSync(directory)
    .filter((name) => name.endsWith(".go") && !name.endsWith("_test.go") && !/^(zz_)?generated/.test(name))
    .map((name) => readFileSync(join(directory, name), "utf8"))
  const group = sources.map((source) => /^const GroupName = "([^"]*)"/m.exec(source)?.[1]).find((name) => name !== undefined)
  if (group === undefined) throw new Error(`${directory}: no GroupName`)
  const version = path.slice(path.indexOf("/") + 1)
  return {
    path,
    apiVersion: group === "" ? version : `${group}/${version}`,
    proto: parseProto(readFileSync(protoPath, "utf8"), protoPath),
    go: parseGo(sources),
  }
}

/** Collects the lines of every message that a kind reaches; what nothing reaches (helper messages, abandoned types) is left out. */
class TableWriter {
  readonly #packages: readonly Package[]
  readonly #lines = new Map<Package, Map<string, string>>()

  constructor(packages: readonly Package[]) {
    this.#packages = packages
    for (const one of packages) this.#lines.set(one, new Map())
  }

  addKinds(from: Package): void {
    for (const name of from.proto.messages.keys()) if (from.go.structs.get(name)?.isKind) this.#add(from, name)
  }

  linesOf(from: Package): string[] {
    const lines = this.#lines.get(from) ?? new Map<string, string>()
    return [...lines.keys()].sort().map((name) => lines.get(name) ?? "")
  }

  #add(from: Package, name: string): void {
    const lines = this.#lines.get(from)
    if (lines === undefined || lines.has(name)) return
    const union = from.path === "apiextensions/v1" ? unions[name] : undefined
    lines.set(name, union ?? "")
    if (union === undefined) lines.set(name, this.#line(from, name))
    else this.#add(from, "JSONSchemaProps")
  }

  #line(from: Package, name: string): string {
    const protoFields = from.proto.messages.get(name)
    const struct = from.go.structs.get(name)
    if (protoFields === undefined || struct === undefined)
      throw new Error(`${from.path}.${name}: a message needs a Go struct and the reverse`)
    checkSameFields(`${from.path}.${name}`, protoFields, struct.fields)
    let expected = 1
    const words = [...protoFields]
      .sort((a, b) => a.number - b.number)
      .map((proto) => {
        const go = struct.fields.get(proto.number) as GoField
        const number = proto.number === expected ? "" : `=${proto.number}`
        expected = proto.number + 1
        const type = this.#type(from, proto.type)
        return `${go.inline ? proto.name : go.jsonName}${number}${markOf(proto, go, type, struct.isKind)}${type === "s" ? "" : type}`
      })
    return [`${struct.isKind ? "@" : ""}${name}`, ...words].join(" ")
  }

  /** The type code of the notation; a message is added to its package's table on the way. */
  #type(from: Package, type: string): string {
    const scalar = scalars[type]
    if (scalar !== undefined) return scalar
    const full = type.includes(".") ? type : `${from.proto.package}.${type}`
    const odd = oddTypes[full]
    if (odd !== undefined) return odd
    const dot = full.lastIndexOf(".")
    const name = full.slice(dot + 1)
    const owner = this.#packages.find((one) => one.proto.package === full.slice(0, dot))
    if (owner === undefined) throw new Error(`${from.path}: the type ${full} is in no package that is read`)
    if (owner.go.lists.has(name)) return listHelper(owner, name)
    this.#add(owner, name)
    return owner === from ? name : `${owner.path}.${name}`
  }
}

function listHelper(owner: Package, name: string): string {
  const [items, ...others] = owner.proto.messages.get(name) ?? []
  if (items?.label !== "repeated" || items.type !== "string" || items.number !== 1 || others.length > 0) {
    throw new Error(`${owner.path}.${name}: expected a list helper of the form {1: repeated string}`)
  }
  return "L"
}

function checkSameFields(place: string, proto: readonly ProtoField[], go: ReadonlyMap<number, GoField>): void {
  if (proto.length !== go.size) throw new Error(`${place}: ${proto.length} fields in generated.proto, ${go.size} in the Go struct`)
  for (const field of proto) {
    const tag = go.get(field.number)
    if (tag === undefined) throw new Error(`${place}.${field.name}: number ${field.number} is not in the Go struct`)
    if (tag.protoName !== undefined && tag.protoName !== field.name)
      throw new Error(`${place}.${field.name}: the Go struct says ${tag.protoName}`)
    if (tag.jsonName === "" && !tag.inline) throw new Error(`${place}.${field.name}: no JSON name`)
  }
}

/** How the field stands in JSON; see table.ts. Go's `omitempty` never drops a struct, so those are "always" unless `omitzero`. */
function markOf(proto: ProtoField, go: GoField, type: string, isKind: boolean): string {
  if (go.inline) return "~"
  if (proto.label === "map") return go.omitempty ? "%" : "^"
  if (proto.label === "repeated") return go.omitempty && !(isKind && go.jsonName === "items") ? "*" : "+"
  if (go.pointer) return go.omitempty ? "?" : "&"
  const isStruct = !"silbydL".includes(type) || type.length > 1
  if (go.omitzero) return "."
  return isStruct || !go.omitempty ? "!" : "."
}

const notice = "// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.\n"

function tableFile(from: Package, lines: readonly string[]): GeneratedFile {
  const content = `${notice}export const table = \`\n${lines.join("\n")}\n\`\n`
  return { path: `packages/api/src/generated/${from.path}.protobuf.ts`, content }
}

function indexFile(packages: readonly Package[]): GeneratedFile {
  const name = (one: Package) => one.path.replace(/\/v/, "V")
  const imports = packages.map((one) => `import { table as ${name(one)} } from "./${one.path}.protobuf.ts"\n`)
  const rows = packages.map((one) => `  ["${one.path}", "${one.apiVersion}", ${name(one)}],\n`)
  const content = `${notice}${imports.join("")}\n/** Path, apiVersion and table of every group-version. */\nexport const tables: readonly (readonly [path: string, apiVersion: string, table: string])[] = [\n${rows.join("")}]\n`
  return { path: "packages/api/src/generated/all.protobuf.ts", content }
}
