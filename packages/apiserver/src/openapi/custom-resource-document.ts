import { pathOf, type Schema } from "@pilothouse/api"
import { schemaOf } from "@pilothouse/api/schemas"
import type { CustomResourceVersion } from "../customresources/served-version.ts"
import { definitions, type Root } from "./definitions.ts"
import { type Action, content, deleteOptionsType, methodOf, operationId, patchType, statusType, tagOf } from "./operation.ts"
import { inPath, listing, type Parameter, parametersOf, pretty, query } from "./parameters.ts"
import { type SchemaObject, typeName } from "./property.ts"
import { itemsOf, listMetadataOf, metadataOf, type OpenApiVersion, structuralSchema, typeMeta } from "./structural-schema.ts"

const media = ["application/json", "application/yaml"]
const patchMedia = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"]

const customParameters: Readonly<Record<Action, readonly object[]>> = {
  ...parametersOf,
  get: [query("resourceVersion")],
  deletecollection: listing,
}

const successes: Readonly<Partial<Record<Action, Readonly<Record<string, string>>>>> = {
  post: { 200: "OK", 201: "Created", 202: "Accepted" },
  put: { 200: "OK", 201: "Created" },
  delete: { 200: "OK", 202: "Accepted" },
}

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

/** The names of the types that the operations of a custom resource have as their bodies. */
interface CustomResourceTypes {
  readonly object: string
  readonly list: string
  readonly scale: string
}

/** The operations on one path: of a collection, an object, or a subresource. */
interface Operations {
  readonly path: string
  readonly actions: readonly Action[]
  /** The type of the bodies. */
  readonly type: string
  /** "scale", "status". */
  readonly subresource?: string
  readonly forAllNamespaces?: boolean
}

/** Returns every path of a custom resource with its operations, whether the definition is terminating or not. */
function customResourcePaths(served: CustomResourceVersion, types: CustomResourceTypes): Readonly<Record<string, SchemaObject>> {
  const { descriptor, definition, version } = served
  const everywhere = pathOf(descriptor)
  const { plural } = descriptor
  const isNamespaced = definition.spec.scope === "Namespaced"
  const collection = isNamespaced ? `${everywhere.slice(0, -plural.length)}namespaces/{namespace}/${plural}` : everywhere
  const { object, list, scale } = types
  const rows: readonly Operations[] = [
    ...(isNamespaced ? [{ path: everywhere, actions: ["list"], type: list, forAllNamespaces: true } as const] : []),
    { path: collection, actions: ["list", "post", "deletecollection"], type: object },
    { path: `${collection}/{name}`, actions: ["get", "put", "delete", "patch"], type: object },
    ...(version.subresources?.status === undefined ? [] : [subresource(collection, "status", object)]),
    ...(version.subresources?.scale === undefined ? [] : [subresource(collection, "scale", scale)]),
  ]
  return Object.fromEntries(rows.map((row) => [row.path, pathItem(served, row, types)]))
}

function subresource(collection: string, name: string, type: string): Operations {
  return { path: `${collection}/{name}/${name}`, actions: ["get", "put", "patch"], type, subresource: name }
}

/** A parameter that all operations of a path have stands at the path; then the order is that of the names. */
function pathItem(served: CustomResourceVersion, row: Operations, types: CustomResourceTypes): SchemaObject {
  const names = (["name", "namespace"] as const).filter((name) => row.path.includes(`{${name}}`))
  const operations = row.actions.map((action) => [methodOf[action], operation(served, row, action, types)] as const)
  const [[, only] = []] = operations.length === 1 ? operations : []
  if (only === undefined) return { ...Object.fromEntries(operations), parameters: [...names.map(inPath), pretty] }
  const { parameters, ...rest } = only
  const all = [...names.map(inPath), pretty, ...(parameters as readonly Parameter[])]
  return { [operations[0]![0]]: rest, parameters: all.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

function operation({ descriptor }: CustomResourceVersion, row: Operations, action: Action, { list }: CustomResourceTypes): SchemaObject {
  const { group, version, kind } = descriptor
  const suffix = row.forAllNamespaces === true ? "ForAllNamespaces" : capital(row.subresource ?? "")
  return {
    tags: [tagOf(descriptor)],
    description: description(action, kind, row.subresource),
    operationId: operationId({ action, descriptor, suffix }),
    parameters: customParameters[action],
    ...requestBody(action, row.type),
    responses: responses(action, action === "list" ? list : row.type),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function description(action: Action, kind: string, name: string | undefined): string {
  const of = name === undefined ? "" : ` ${name} of`
  switch (action) {
    case "list":
      return `list${of} objects of kind ${kind}`
    case "get":
      return `read${of} the specified ${kind}`
    case "put":
      return `replace${of} the specified ${kind}`
    case "patch":
      return `partially update${of} the specified ${kind}`
    case "post":
      return `create${of}${article(kind)}${kind}`
    case "delete":
      return `delete${of}${article(kind)}${kind}`
    case "deletecollection":
      return `delete collection of ${kind}`
  }
}

/** A word that looks like a plural has none. */
function article(kind: string): string {
  if (kind.endsWith("s") && !kind.endsWith("ss")) return " "
  return /^[aeiou]/i.test(kind) ? " an " : " a "
}

function requestBody(action: Action, type: string): SchemaObject {
  switch (action) {
    case "post":
    case "put":
      return { requestBody: { content: content(media, type), required: true } }
    case "patch":
      return { requestBody: { content: content(patchMedia, patchType), required: true } }
    case "delete":
      return { requestBody: { content: content(media, deleteOptionsType) } }
    default:
      return {}
  }
}

function responses(action: Action, type: string): SchemaObject {
  const answered = action === "delete" || action === "deletecollection" ? statusType : type
  const known = Object.entries(successes[action] ?? { 200: "OK" })
  const found = known.map(([code, text]) => [code, { description: text, content: content(media, answered) }])
  return { ...Object.fromEntries(found), 401: { description: "Unauthorized" } }
}
