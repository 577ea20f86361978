import type { DiscoveredGroupVersion, DiscoveredResource } from "./discovery.ts"
import { type Definitions, metaPackage } from "./openapi.ts"
import type { OpenApiSchema } from "./openapi-schema.ts"
import { isWellKnown } from "./shape.ts"

/** The types of one Go package: one folder and version of the output. */
export interface Package {
  /** "apps/v1": where it is written, after Go's package name ("rbac", not "rbac.authorization.k8s.io"). */
  readonly path: string
  /** "io.k8s.api.apps.v1" */
  readonly id: string
  readonly group: string
  readonly version: string
  readonly types: readonly TypeDefinition[]
  readonly resources: readonly DiscoveredResource[]
}

export interface TypeDefinition {
  readonly name: string
  readonly id: string
  readonly schema: OpenApiSchema
}

/** Only the body of patch requests, which is any JSON. */
const unused = new Set([`${metaPackage}.Patch`])

export function packagesOf(definitions: Definitions, groupVersions: readonly DiscoveredGroupVersion[]): Package[] {
  const byPackage = Map.groupBy(types(definitions), (type) => packageOf(type.id))
  const packages = [...byPackage].map(([id, types]): Package => {
    const found = id === metaPackage ? { group: "", version: "v1", resources: [] } : groupVersionOf(id, types, groupVersions)
    return { id, types, path: id.split(".").slice(-2).join("/"), ...found }
  })
  return packages.sort((a, b) => (`${a.group}/${a.path}` < `${b.group}/${b.path}` ? -1 : 1))
}

export const packageOf = (id: string): string => id.slice(0, id.lastIndexOf("."))
export const nameOf = (id: string): string => id.slice(id.lastIndexOf(".") + 1)

function types(definitions: Definitions): TypeDefinition[] {
  const wanted = [...definitions].filter(([id]) => !isWellKnown(id) && !unused.has(id))
  return wanted.map(([id, schema]) => ({ id, name: nameOf(id), schema })).sort((a, b) => (a.id < b.id ? -1 : 1))
}

function groupVersionOf(id: string, types: readonly TypeDefinition[], all: readonly DiscoveredGroupVersion[]) {
  const kind = types.flatMap((type) => type.schema["x-kubernetes-group-version-kind"] ?? [])[0]
  const found = all.find((candidate) => candidate.group === kind?.group && candidate.version === kind.version)
  if (found === undefined) throw new Error(`${id} belongs to no group version that is served`)
  return { group: found.group, version: found.version, resources: found.resources }
}
