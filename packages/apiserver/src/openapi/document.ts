import { type Descriptor, pathOf, type Schema, type Subresource } from "@pilothouse/api"
import { schemaOf } from "@pilothouse/api/schemas"
import type { ServedVersion } from "../discovery/groups.ts"
import { responseKindOf } from "../discovery/response-kind.ts"
import { definitions, type GroupVersionKind, type Root } from "./definitions.ts"
import { type Action, capital, methodOf, type OperationFacts, operation, patchType } from "./operation.ts"
import { inPath, pretty } from "./parameters.ts"
import { type SchemaObject, typeName } from "./property.ts"

const actions: Readonly<Record<string, Action>> = {
  create: "post",
  delete: "delete",
  deletecollection: "deletecollection",
  get: "get",
  list: "list",
  patch: "patch",
  update: "put",
}

const onCollection: ReadonlySet<string> = new Set(["create", "deletecollection", "list"])

/** The document of one group version. */
export function openApiDocument({ resources }: ServedVersion, release: string): object {
  const roots = rootsOf(resources)
  const typeNames = (kind: GroupVersionKind) => {
    const schema = schemaOf(kind)
    return schema && typeName(schema)
  }
  const schemas = { ...withListTexts(definitions(roots), resources, typeNames), [patchType]: { type: "object" } }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: release },
    paths: Object.assign({}, ...resources.map((descriptor) => pathsOf(descriptor, typeNames))),
    components: { schemas, securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } } },
  }
}

type Schemas = ReturnType<typeof definitions>

/** Says of the items of each list what they are: "List of services". */
function withListTexts(
  schemas: Schemas,
  resources: readonly Descriptor[],
  typeNames: (kind: GroupVersionKind) => string | undefined,
): Schemas {
  const result: Record<string, Schemas[string]> = { ...schemas }
  for (const { group, version, kind, plural } of resources) {
    const name = typeNames({ group, version, kind: `${kind}List` })
    const list = name === undefined ? undefined : result[name]
    const properties = list?.["properties"] as Readonly<Record<string, object>> | undefined
    if (properties?.["items"] === undefined) continue
    result[name!] = { ...list, properties: { ...properties, items: { description: `List of ${plural}`, ...properties["items"] } } }
  }
  return result
}

/** Bodies of the resources, their lists and their subresources, and those that every group has. */
function rootsOf(resources: readonly Descriptor[]): readonly Root[] {
  const roots = new Map<Schema, GroupVersionKind[]>()
  for (const kind of resources.flatMap(kindsOf)) {
    const schema = schemaOf(kind)
    if (schema === undefined) continue
    const kinds = roots.get(schema) ?? []
    if (!kinds.some((known) => known.kind === kind.kind && known.group === kind.group && known.version === kind.version)) kinds.push(kind)
    roots.set(schema, kinds)
  }
  return [...roots].map(([schema, kinds]) => ({ schema, kinds }))
}

function kindsOf(descriptor: Descriptor): readonly GroupVersionKind[] {
  const { group, version, kind } = descriptor
  const bodies = describedSubresources(descriptor).map((subresource) => {
    const body = responseKindOf(descriptor, subresource)
    return body.version === "" ? { group, version, kind: body.kind } : body
  })
  const list = descriptor.verbs.includes("list") ? [{ group, version, kind: `${kind}List` }] : []
  const common = [
    { group: "", version: "v1", kind: "Status" },
    { group: "", version: "v1", kind: "DeleteOptions" },
    { group, version, kind: "DeleteOptions" },
  ]
  return [{ group, version, kind }, ...list, ...bodies, ...common]
}

/** The name of a kind's type in the document. */
type TypeNames = (kind: GroupVersionKind) => string | undefined

/** Every path of a resource and its subresources, with the operations its verbs allow. */
function pathsOf(descriptor: Descriptor, typeNames: TypeNames): Readonly<Record<string, SchemaObject>> {
  const { group, version, kind, verbs, namespaced } = descriptor
  const own = { group, version, kind }
  const facts = { descriptor, kind: own, type: typeNames(own), listType: typeNames({ ...own, kind: `${kind}List` }) }
  const collection = template(descriptor)
  const scope = namespaced ? [inPath("namespace")] : []
  const everywhere = namespaced && verbs.includes("list") ? { ...facts, suffix: "ForAllNamespaces" } : undefined
  return {
    ...(everywhere && item(pathOf(descriptor), ["list"], everywhere, [])),
    ...item(
      collection,
      verbs.filter((verb) => onCollection.has(verb)),
      facts,
      scope,
    ),
    ...item(
      `${collection}/{name}`,
      verbs.filter((verb) => !onCollection.has(verb)),
      facts,
      [inPath("name"), ...scope],
    ),
    ...Object.assign({}, ...describedSubresources(descriptor).map((subresource) => subresourcePath(descriptor, subresource, typeNames))),
  }
}

/** Connections (exec, attach, port-forward, proxy) have no bodies that a schema could speak of. */
function describedSubresources({ subresources }: Descriptor): readonly Subresource[] {
  return subresources.filter(({ kind }) => !kind?.endsWith("Options"))
}

function subresourcePath(descriptor: Descriptor, subresource: Subresource, typeNames: TypeNames): Readonly<Record<string, SchemaObject>> {
  const { group, version, kind } = responseKindOf(descriptor, subresource)
  const body = version === "" ? { group: descriptor.group, version: descriptor.version, kind } : { group, version, kind }
  const scope = descriptor.namespaced ? [inPath("namespace")] : []
  const suffix = subresource.name.split(/[-/]/).map(capital).join("")
  const facts = { descriptor, kind: body, type: typeNames(body), suffix }
  return item(`${template(descriptor)}/{name}/${subresource.name}`, subresource.verbs, facts, [inPath("name"), ...scope])
}

/** "/apis/apps/v1/namespaces/{namespace}/deployments" */
function template(descriptor: Descriptor): string {
  const everywhere = pathOf(descriptor)
  if (!descriptor.namespaced) return everywhere
  const end = everywhere.lastIndexOf("/")
  return `${everywhere.slice(0, end)}/namespaces/{namespace}${everywhere.slice(end)}`
}

function item(
  path: string,
  verbs: readonly string[],
  facts: Omit<OperationFacts, "action">,
  parameters: readonly object[],
): Readonly<Record<string, SchemaObject>> {
  const operations = verbs.flatMap((verb) => {
    const action = actions[verb]
    return action === undefined ? [] : [[methodOf[action], operation({ ...facts, action })] as const]
  })
  return operations.length === 0 ? {} : { [path]: { parameters: [...parameters, pretty], ...Object.fromEntries(operations) } }
}
