import { readFileSync } from "node:fs"
import { join } from "node:path"
import { GoExpression, type GoStruct, type GoValue, readGoLiteral } from "./go-literal.ts"
import type { GoModules } from "./go-modules.ts"
import type { OpenApiSchema } from "./openapi-schema.ts"

/** Reads pkg/generated/openapi/zz_generated.openapi.go: the definitions a server is compiled with, enums and metrics.k8s.io included. */
export function goDefinitions(modules: GoModules, ids: readonly string[]): Map<string, OpenApiSchema> {
  const source = readFileSync(join(modules.kubernetes, "pkg/generated/openapi/zz_generated.openapi.go"), "utf8")
  const packages = importedPackages(source)
  const functions = new Map(source.split("\nfunc ").map((text) => [text.slice(0, text.indexOf("(")), text]))
  const wanted = new Set(ids)
  const found = new Map<string, OpenApiSchema>()
  for (const [, name, call] of source.matchAll(/^\t\t(\w+\.\w+)\{\}\.OpenAPIModelName\(\): +(\w+)\(ref\),/gm)) {
    const id = fullName(name ?? "", packages)
    if (wanted.has(id)) found.set(id, readSchema(functions.get(call ?? "") ?? "", packages))
  }
  return found
}

/** `metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"` → metav1: "io.k8s.apimachinery.pkg.apis.meta.v1" */
function importedPackages(source: string): Map<string, string> {
  const imports = source.slice(0, source.indexOf("\n)\n")).matchAll(/^\t(\w+)? ?"([^"]+)"$/gm)
  return new Map(Array.from(imports, ([, alias, path = ""]) => [alias ?? path.slice(path.lastIndexOf("/") + 1), packageName(path)]))
}

function packageName(path: string): string {
  const [host = "", ...rest] = path.split("/")
  return [...host.split(".").reverse(), ...rest].join(".")
}

function fullName(name: string, packages: Map<string, string>): string {
  const [alias = "", type = ""] = name.split(".")
  return `${packages.get(alias)}.${type}`
}

function readSchema(source: string, packages: Map<string, string>): OpenApiSchema {
  const start = /Schema: (?=spec\.Schema\{)/.exec(source)
  if (start === null) throw new Error(`no schema in ${source.slice(0, 80)}`)
  return toOpenApi(readGoLiteral(source, start.index + start[0].length) as GoStruct, packages)
}

function toOpenApi(schema: GoStruct, packages: Map<string, string>): OpenApiSchema {
  const props = (schema.SchemaProps ?? {}) as GoStruct
  const extensions = ((schema.VendorExtensible as GoStruct | undefined)?.Extensions ?? {}) as GoStruct
  const inner = (value: GoValue | undefined) => toOpenApi((value as GoStruct).Schema as GoStruct, packages)
  const properties = Object.entries(props.Properties ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, toOpenApi(value as GoStruct, packages)])
  const result = {
    ...extensions,
    ...scalarPart(props),
    ...(props.Properties && { properties: Object.fromEntries(properties) }),
    ...(props.Items && { items: inner(props.Items) }),
    ...(props.AdditionalProperties && { additionalProperties: inner(props.AdditionalProperties) }),
    ...(props.Ref instanceof GoExpression && { $ref: `#/components/schemas/${fullName(props.Ref.source.split("{")[0] ?? "", packages)}` }),
  }
  return result as OpenApiSchema
}

/** What a schema says of a value itself, without what it is made of. */
function scalarPart(props: GoStruct): Partial<Record<string, unknown>> {
  const type = Array.isArray(props.Type) ? props.Type[0] : undefined
  return {
    ...(type && { type }),
    ...(props.Format && { format: props.Format }),
    ...(props.Default !== undefined && { default: props.Default }),
    ...(props.Enum && { enum: props.Enum }),
    ...(props.Required && { required: props.Required }),
  }
}
