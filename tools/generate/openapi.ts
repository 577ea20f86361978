import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { GoModules } from "./go-modules.ts"
import { goDefinitions } from "./go-openapi.ts"
import type { OpenApiSchema } from "./openapi-schema.ts"

/** By full name: "io.k8s.api.core.v1.Pod". */
export type Definitions = ReadonlyMap<string, OpenApiSchema>

export const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1"
const corePackage = "io.k8s.api.core.v1"
const metricsPackage = "io.k8s.metrics.pkg.apis.metrics.v1beta1"

/** Bodies that the documents do not describe although every server and client speaks them; they are in the Go definitions. */
const goOnly = [
  ...["Attach", "Exec", "Log", "PortForward", "Proxy"].map((name) => core(`Pod${name}Options`)),
  ...["Node", "Service"].map((name) => core(`${name}ProxyOptions`)),
  ...["List", "PartialObjectMetadata", "PartialObjectMetadataList", "Table"].map((name) => ({
    id: `${metaPackage}.${name}`,
    gvk: { group: name === "List" ? "" : "meta.k8s.io", version: "v1", kind: name },
  })),
  ...["TableColumnDefinition", "TableRow", "TableRowCondition"].map((name) => ({ id: `${metaPackage}.${name}`, gvk: undefined })),
  ...["NodeMetrics", "NodeMetricsList", "PodMetrics", "PodMetricsList"].map((name) => ({
    id: `${metricsPackage}.${name}`,
    gvk: { group: "metrics.k8s.io", version: "v1beta1", kind: name },
  })),
  { id: `${metricsPackage}.ContainerMetrics`, gvk: undefined },
]

function core(kind: string) {
  return { id: `${corePackage}.${kind}`, gvk: { group: "", version: "v1", kind } }
}

/** Reads the named documents ("api__v1", "apis__apps__v1") and completes them with what only the Go definitions say: enums and a few bodies. */
export function readDefinitions(modules: GoModules, documents: readonly string[]): Definitions {
  const found = new Map<string, OpenApiSchema>()
  for (const document of documents) {
    for (const [id, schema] of Object.entries(readSchemas(modules, document))) found.set(id, joinKinds(found.get(id), schema))
  }
  const fromGo = goDefinitions(modules, [...found.keys(), ...goOnly.map((extra) => extra.id)])
  for (const [id, schema] of found) found.set(id, withEnums(schema, fromGo.get(id)))
  for (const { id, gvk } of goOnly) {
    const schema = fromGo.get(id)
    if (schema === undefined) throw new Error(`${id} is not among the Go definitions any more`)
    found.set(id, gvk === undefined ? schema : { ...schema, "x-kubernetes-group-version-kind": [gvk] })
  }
  return found
}

function readSchemas(modules: GoModules, document: string): Record<string, OpenApiSchema> {
  const text = readFileSync(join(modules.kubernetes, "api/openapi-spec/v3", `${document}_openapi.json`), "utf8")
  return (JSON.parse(text) as { components: { schemas: Record<string, OpenApiSchema> } }).components.schemas
}

/** DeleteOptions and WatchEvent are repeated in every document, each time as a kind of one more group version. */
function joinKinds(before: OpenApiSchema | undefined, now: OpenApiSchema): OpenApiSchema {
  const kinds = [...(before?.["x-kubernetes-group-version-kind"] ?? []), ...(now["x-kubernetes-group-version-kind"] ?? [])]
  const different = new Map(kinds.map((gvk) => [`${gvk.group}/${gvk.version}/${gvk.kind}`, gvk]))
  return different.size === 0 ? now : { ...now, "x-kubernetes-group-version-kind": [...different.values()] }
}

/** The committed documents are written with enums switched off; a running server has them. */
function withEnums(schema: OpenApiSchema, go: OpenApiSchema | undefined): OpenApiSchema {
  if (go === undefined) return schema
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, withEnums(property, go.properties?.[name])])
  return {
    ...schema,
    ...(go.enum && { enum: go.enum }),
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(schema.items && { items: withEnums(schema.items, go.items) }),
    ...(schema.additionalProperties && { additionalProperties: withEnums(schema.additionalProperties, go.additionalProperties) }),
  }
}
