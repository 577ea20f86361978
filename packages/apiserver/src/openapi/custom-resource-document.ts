import type { Schema } from "@pilothouse/api"
import { schemaOf } from "@pilothouse/api/schemas"
import type { CustomResourceVersion } from "../customresources/served-version.ts"
import { customResourcePaths } from "./custom-resource-paths.ts"
import { definitions, type Root } from "./definitions.ts"
import { patchType } from "./operation.ts"
import { type SchemaObject, typeName } from "./property.ts"
import { itemsOf, listMetadataOf, metadataOf, type OpenApiVersion, structuralSchema, typeMeta } from "./structural-schema.ts"

/** The part of a document that speaks of one custom resource. */
export interface DocumentPart {
  readonly paths: SchemaObject
  /** The schemas of the objects and of their lists, by the names of the types. */
  readonly schemas: SchemaObject
}

/** Returns the document of a group version: what its definitions say, and the types of Kubernetes that they all use. */
export function customResourceDocument(versions: readonly CustomResourceVersion[]): object {
  const parts = versions.map((served) => documentPart(served, "v3"))
  const schemas: SchemaObject = Object.assign({}, sharedTypes(versions), ...parts.map((part) => part.schemas))
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths: sorted(Object.assign({}, ...parts.map((part) => part.paths))),
    components: { schemas: sorted(schemas) },
  }
}

/** Returns what one custom resource adds to a document. The paths are those of OpenAPI v3. */
export function documentPart(served: CustomResourceVersion, openApi: OpenApiVersion): DocumentPart {
  return { paths: customResourcePaths(served, typesOf(served)), schemas: schemasOf(served, openApi) }
}

/** "com.example.stable.v1.CronTab", of the group stable.example.com. */
function typesOf({ definition, version }: CustomResourceVersion) {
  const { group, names } = definition.spec
  const from = `${group.split(".").toReversed().join(".")}.${version.name}`
  return {
    object: `${from}.${names.kind}`,
    list: `${from}.${listKindOf(names)}`,
    scale: typeName(schemaOf({ group: "autoscaling", version: "v1", kind: "Scale" })!)!,
  }
}

function listKindOf({ kind, listKind = `${kind}List` }: CustomResourceVersion["definition"]["spec"]["names"]): string {
  return listKind
}

function schemasOf(served: CustomResourceVersion, openApi: OpenApiVersion): SchemaObject {
  const { definition, version } = served
  const { group, names } = definition.spec
  const types = typesOf(served)
  const selectable = version.selectableFields?.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, "") })) ?? []
  const extensions = (kind: string) => ({
    "x-kubernetes-group-version-kind": [{ group, kind, version: version.name }],
    ...(selectable.length > 0 && { "x-kubernetes-selectable-fields": selectable }),
  })
  return {
    [types.object]: { ...objectSchema(served, openApi), ...extensions(names.kind) },
    [types.list]: {
      description: `${listKindOf(names)} is a list of ${names.kind}`,
      type: "object",
      required: ["items"],
      properties: { ...typeMeta, items: itemsOf(names.plural, types.object, openApi), metadata: listMetadataOf(openApi) },
      ...extensions(listKindOf(names)),
    },
  }
}

/** With unknown fields at its root, kubectl would take every one of them for a mistake if any field were named in v2. */
function objectSchema({ definition, version }: CustomResourceVersion, openApi: OpenApiVersion): SchemaObject {
  const schema = version.schema?.openAPIV3Schema
  const isOpen = schema?.["x-kubernetes-preserve-unknown-fields"] === true || definition.spec.preserveUnknownFields === true
  if (schema === undefined || (openApi === "v2" && isOpen)) return { type: "object" }
  const found = structuralSchema(schema, openApi)
  return { ...found, properties: { ...(found.properties as SchemaObject | undefined), ...typeMeta, metadata: metadataOf(openApi) } }
}

function sharedTypes(versions: readonly CustomResourceVersion[]): SchemaObject {
  const hasScale = versions.some(({ version }) => version.subresources?.scale !== undefined)
  const roots: readonly Root[] = [
    kindRoot("", "Status"),
    kindRoot("", "DeleteOptions"),
    ...(hasScale ? [kindRoot("autoscaling", "Scale")] : []),
    { schema: metadataSchema("ConfigMap"), kinds: undefined },
    { schema: metadataSchema("ConfigMapList"), kinds: undefined },
  ]
  return { ...definitions(roots), [patchType]: { type: "object" } }
}

function kindRoot(group: string, kind: string): Root {
  const found = { group, version: "v1", kind }
  return { schema: schemaOf(found)!, kinds: [found] }
}

/** ObjectMeta and ListMeta are no kinds, but every kind has one of them. */
function metadataSchema(kind: string): Schema {
  return schemaOf({ group: "", version: "v1", kind })!.fields!.metadata!.schema
}

function sorted(object: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
