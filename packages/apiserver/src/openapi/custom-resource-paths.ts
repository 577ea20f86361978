import { pathOf } from "@pilothouse/api"
import type { CustomResourceVersion } from "../customresources/served-version.ts"
import { type Action, content, deleteOptionsType, methodOf, operationId, patchType, statusType, tagOf } from "./operation.ts"
import { inPath, listing, type Parameter, parametersOf, pretty, query } from "./parameters.ts"
import type { SchemaObject } from "./property.ts"

/** The names of the types that the operations of a custom resource have as their bodies. */
export interface CustomResourceTypes {
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

const media = ["application/json", "application/yaml"]
const patchMedia = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"]

/** Returns every path of a custom resource with its operations, whether the definition is terminating or not. */
export function customResourcePaths(served: CustomResourceVersion, types: CustomResourceTypes): Readonly<Record<string, SchemaObject>> {
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

const customParameters: Readonly<Record<Action, readonly object[]>> = {
  ...parametersOf,
  get: [query("resourceVersion")],
  deletecollection: listing,
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

const successes: Readonly<Partial<Record<Action, Readonly<Record<string, string>>>>> = {
  post: { 200: "OK", 201: "Created", 202: "Accepted" },
  put: { 200: "OK", 201: "Created" },
  delete: { 200: "OK", 202: "Accepted" },
}

function responses(action: Action, type: string): SchemaObject {
  const answered = action === "delete" || action === "deletecollection" ? statusType : type
  const known = Object.entries(successes[action] ?? { 200: "OK" })
  const found = known.map(([code, text]) => [code, { description: text, content: content(media, answered) }])
  return { ...Object.fromEntries(found), 401: { description: "Unauthorized" } }
}
