import type { Descriptor, KubeObject } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"
import { schemaOf } from "@pilothouse/api/schemas"
import { defineResource } from "./generic.ts"
import type { Resource, Special } from "./resource.ts"
import { specials } from "./specials.ts"

/** Every kind this server serves. */
export interface Registry {
  resources(): readonly Resource[]
  resource(group: string, version: string, plural: string): Resource | undefined
  /** One that is known to be served, with the type of its objects. */
  of<T extends KubeObject>(descriptor: Descriptor<T>): Resource<T>
  /** The same without the type, for code that takes every kind. */
  served(descriptor: Pick<Descriptor, "group" | "version" | "plural">): Resource
  hasGroupVersion(group: string, version: string): boolean
}

/** Served by others (extensions), or off by default upstream. */
const unserved: ReadonlySet<string> = new Set(["metrics.k8s.io/v1beta1", "storagemigration.k8s.io/v1beta1"])

export function createRegistry(): Registry {
  const special = new Map<string, Special>(specials().map(([descriptor, behaviour]) => [key(descriptor), behaviour]))
  const descriptors = allDescriptors.filter(({ group, version }) => !unserved.has(`${group}/${version}`))
  const resources = descriptors.map((descriptor) => lazily(descriptor, special.get(key(descriptor)) ?? {}))
  const byPath = new Map(resources.map((resource) => [key(resource.descriptor), resource]))
  const groupVersions = new Set(descriptors.map(({ group, version }) => `${group}/${version}`))
  return {
    resources: () => resources,
    resource: (group, version, plural) => byPath.get(key({ group, version, plural })),
    of: <T extends KubeObject>(descriptor: Descriptor<T>) => byPath.get(key(descriptor)) as unknown as Resource<T>,
    served: (descriptor) => byPath.get(key(descriptor))!,
    hasGroupVersion: (group, version) => groupVersions.has(`${group}/${version}`),
  }
}

function key({ group, version, plural }: Pick<Descriptor, "group" | "version" | "plural">): string {
  return `${group}/${version}/${plural}`
}

/** Its schema is decoded at first use: a start pays only for the kinds it meets. */
function lazily(descriptor: Descriptor, special: Special): Resource {
  const bare = defineResource(descriptor, undefined, special)
  let whole: Resource | undefined
  const made = () => (whole ??= defineResource(descriptor, schemaOf(descriptor), special))
  return {
    ...bare,
    get schema() {
      return made().schema
    },
    fillDefaults: (object) => made().fillDefaults(object),
  }
}
