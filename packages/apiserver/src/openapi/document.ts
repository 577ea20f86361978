import type { Descriptor, Schema } from "@pilothouse/api"
import { schemaOf } from "@pilothouse/api/schemas"
import type { ServedVersion } from "../discovery/groups.ts"
import { responseKindOf } from "../discovery/response-kind.ts"
import { definitions, type GroupVersionKind, type Root } from "./definitions.ts"
import { patchType } from "./operation.ts"
import { describedSubresources, pathsOf } from "./paths.ts"
import { typeName } from "./property.ts"

/** The document of one group version. */
export function openApiDocument({ resources }: ServedVersion, release: string): object {
  const roots = rootsOf(resources)
  const typeNames = (kind: GroupVersionKind) => {
    const schema = schemaOf(kind)
    return schema && typeName(schema)
  }
  const schemas = { ...definitions(roots), [patchType]: { type: "object" } }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: release },
    paths: Object.assign({}, ...resources.map((descriptor) => pathsOf(descriptor, typeNames))),
    components: { schemas, securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } } },
  }
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
