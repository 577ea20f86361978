import type { Descriptor, KubeObject } from "@pilothouse/api"
import { endpoints } from "@pilothouse/api/core/v1"
import { allDescriptors } from "@pilothouse/api/descriptors"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { schemaOf } from "@pilothouse/api/schemas"
import { defineResource } from "./generic.ts"
import { withLoopbackEndpoints } from "./loopback-endpoints.ts"
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
  hasGroup(group: string): boolean
}

/** Served by others (extensions), or off by default upstream. */
const unserved: ReadonlySet<string> = new Set(["metrics.k8s.io/v1beta1", "storagemigration.k8s.io/v1beta1"])

export interface RegistryOptions {
  /** Endpoints may have addresses of this host: where pods are its processes. */
  readonly allowLoopbackEndpoints?: boolean
}

export function createRegistry({ allowLoopbackEndpoints = false }: RegistryOptions = {}): Registry {
  const special = new Map<string, Special>(specials().map(([descriptor, behaviour]) => [key(descriptor), behaviour]))
  if (allowLoopbackEndpoints) {
    for (const kind of [endpoints, endpointSlices]) special.set(key(kind), withLoopbackEndpoints(special.get(key(kind)) ?? {}))
  }
  const descriptors = allDescriptors.filter(({ group, version }) => !unserved.has(`${group}/${version}`))
  const resources = descriptors.map((descriptor) => lazily(descriptor, special.get(key(descriptor)) ?? {}))
  const byPath = new Map(resources.map((resource) => [key(resource.descriptor), resource]))
  const groups = new Set(descriptors.map(({ group }) => group))
  return {
    resources: () => resources,
    resource: (group, version, plural) => byPath.get(key({ group, version, plural })),
    of: <T extends KubeObject>(descriptor: Descriptor<T>) => byPath.get(key(descriptor)) as unknown as Resource<T>,
    served: (descriptor) => byPath.get(key(descriptor))!,
    hasGroup: (group) => groups.has(group),
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
    fillZeros: (object) => made().fillZeros(object),
    withNulls: (object) => made().withNulls(object),
  }
}
