import type { Descriptor } from "@pilothouse/api"
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import { isConditionTrue } from "./definition/conditions.ts"

/** A version of a definition, mostly one that is served: what discovery, OpenAPI, tables and requests work with. */
export interface CustomResourceVersion {
  readonly definition: CustomResourceDefinition
  readonly version: CustomResourceDefinitionVersion
  readonly descriptor: Descriptor
}

/** In upstream's order, which clients see in discovery. */
export const customResourceVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]

/** Returns the versions of a definition that are served; none before its names are accepted. */
export function servedVersions(definition: CustomResourceDefinition): readonly CustomResourceVersion[] {
  if (!isConditionTrue(definition, "NamesAccepted") && !isConditionTrue(definition, "Established")) return []
  return definition.spec.versions.filter(({ served }) => served).map((version) => versionOf(definition, version))
}

/** Returns a version of a definition, served or not, as requests work with it. */
export function versionOf(definition: CustomResourceDefinition, version: CustomResourceVersion["version"]): CustomResourceVersion {
  return { definition, version, descriptor: descriptorOf(definition, version) }
}

/** While a definition is terminating, nothing new comes in. */
const terminatingVerbs = ["delete", "deletecollection", "get", "list", "watch"]
const subresourceVerbs = ["get", "patch", "update"]

function descriptorOf(
  definition: CustomResourceDefinition,
  { name: version, subresources = {} }: CustomResourceVersion["version"],
): Descriptor {
  const { group, scope, names: wanted } = definition.spec
  const names = definition.status?.acceptedNames ?? wanted
  const kind = names.kind
  return {
    group,
    version,
    kind,
    plural: wanted.plural,
    singular: names.singular ?? kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === "Namespaced",
    verbs: isConditionTrue(definition, "Terminating") ? terminatingVerbs : customResourceVerbs,
    subresources: [
      ...(subresources.status === undefined ? [] : [{ name: "status", verbs: subresourceVerbs }]),
      ...(subresources.scale === undefined ? [] : [{ name: "scale", verbs: subresourceVerbs, kind: "autoscaling/v1/Scale" }]),
    ],
  }
}
