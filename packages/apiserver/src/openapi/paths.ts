import { type Descriptor, pathOf, type Subresource } from "@pilothouse/api"
import { responseKindOf } from "../discovery/response-kind.ts"
import type { GroupVersionKind } from "./definitions.ts"
import { type Action, capital, methodOf, type OperationFacts, operation } from "./operation.ts"
import { inPath, pretty } from "./parameters.ts"
import type { SchemaObject } from "./property.ts"

/** The name of a kind's type in the document. */
export type TypeNames = (kind: GroupVersionKind) => string | undefined

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

/** Every path of a resource and its subresources, with the operations its verbs allow. */
export function pathsOf(descriptor: Descriptor, typeNames: TypeNames): Readonly<Record<string, SchemaObject>> {
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
export function describedSubresources({ subresources }: Descriptor): readonly Subresource[] {
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
