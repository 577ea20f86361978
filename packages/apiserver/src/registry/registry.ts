import { apiVersionOf, type Descriptor, type KubeObject } from "@pilothouse/api"
import { endpoints } from "@pilothouse/api/core/v1"
import { allDescriptors } from "@pilothouse/api/descriptors"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "@pilothouse/api/rbac/v1"
import { schemaOf } from "@pilothouse/api/schemas"
import { lazy } from "@pilothouse/seams"
import type { CustomResources } from "../customresources/custom-resources.ts"
import { defineResource } from "../resources/generic.ts"
import { endpointSliceStrategy, endpointsStrategy } from "../resources/network/networking.ts"
import type { Resource, ResourceStrategy } from "../resources/resource.ts"
import { withoutDisabledFields } from "../resources/workloads/disabled-fields.ts"
import { strategies } from "./strategies.ts"

/** Every kind this server serves. */
export interface Registry {
  resources(): readonly Resource[]
  resource(group: string, version: string, plural: string): Resource | undefined
  /** One that is known to be served, with the type of its objects. */
  of<T extends KubeObject>(descriptor: Descriptor<T>): Resource<T>
  /** The same without the type, for code that takes every kind. */
  served(descriptor: Pick<Descriptor, "group" | "version" | "plural">): Resource
  /** Whether a group has kinds that are there without a definition. */
  hasBuiltInGroup(group: string): boolean
  /** Of the kinds that are there without a definition. */
  builtInDescriptors(): readonly Descriptor[]
  /** "v1", "apps/v1" … of the same. */
  builtInGroupVersions(): readonly string[]
  /** Those of `optionalVersions` that are served. */
  readonly enabledVersions: readonly string[]
  /** Whether a kind is there without a definition. */
  builtIn(group: string, version: string, plural: string): boolean
  /** Returns the built-in resources that are stored below a prefix: several where kinds of two versions or groups show the same objects. */
  storedBelow(prefix: string): readonly Resource[]
  readonly customResources: CustomResources
}

/** Group versions that are off by default, as upstream: --runtime-config turns them on. */
export const optionalVersions: readonly string[] = [
  "certificates.k8s.io/v1beta1",
  "internal.apiserver.k8s.io/v1alpha1",
  "resource.k8s.io/v1alpha3",
  "scheduling.k8s.io/v1alpha2",
  "storagemigration.k8s.io/v1beta1",
]

/** Of metrics.k8s.io others answer (extensions). */
const unserved: ReadonlySet<string> = new Set(["metrics.k8s.io/v1beta1", ...optionalVersions])

interface BuiltInKinds {
  readonly descriptors: readonly Descriptor[]
  readonly served: ReadonlyMap<string, Descriptor>
  readonly groups: ReadonlySet<string>
  readonly groupVersions: () => readonly string[]
}

function builtInKinds(enabled: readonly string[]): BuiltInKinds {
  const isServed = (groupVersion: string) => !unserved.has(groupVersion) || enabled.includes(groupVersion)
  const descriptors = allDescriptors.filter(({ group, version }) => isServed(`${group}/${version}`))
  const served = new Map(descriptors.map((descriptor) => [key(descriptor), descriptor]))
  const groupVersions = lazy(() => [...new Set(descriptors.map(apiVersionOf))])
  return { descriptors, served, groups: new Set(descriptors.map(({ group }) => group)), groupVersions }
}

/** Shared by all servers that enable nothing. */
const defaultKinds = lazy(() => builtInKinds([]))

const enforcedKinds = [roles, clusterRoles, roleBindings, clusterRoleBindings].map(key)

export interface RegistryOptions {
  /** Endpoints may have addresses of this host: where pods are its processes. */
  readonly allowLoopbackEndpoints?: boolean
  /** Roles and bindings decide on requests, so their writers are not warned that they have no effect. */
  readonly enforcesRbac?: boolean
  /** Those of `optionalVersions` that are served. */
  readonly enabledVersions?: readonly string[]
  readonly customResources: CustomResources
}

/** Creates the registry of all served resources: built-in kinds by their strategies, made at their first use, and custom resources. */
export function createRegistry(options: RegistryOptions): Registry {
  const { allowLoopbackEndpoints = false, enforcesRbac = false, enabledVersions = [], customResources } = options
  const { descriptors, served, groups, groupVersions } = enabledVersions.length === 0 ? defaultKinds() : builtInKinds(enabledVersions)
  const strategyOf = new Map<string, ResourceStrategy>(strategies().map(([descriptor, behaviour]) => [key(descriptor), behaviour]))
  if (allowLoopbackEndpoints) {
    strategyOf.set(key(endpoints), endpointsStrategy({ loopback: true }) as unknown as ResourceStrategy)
    strategyOf.set(key(endpointSlices), endpointSliceStrategy({ loopback: true }) as unknown as ResourceStrategy)
  }
  if (enforcesRbac) for (const path of enforcedKinds) strategyOf.set(path, { ...strategyOf.get(path), hasEffect: true })
  const known = new Map<string, Resource>()
  const find = (path: string): Resource | undefined => {
    const found = known.get(path)
    const descriptor = found === undefined ? served.get(path) : undefined
    if (descriptor === undefined) return found
    const strategy = withoutDisabledFields(strategyOf.get(path) ?? {}, descriptor, enabledVersions)
    const made = defineResource(descriptor, () => schemaOf(descriptor), strategy)
    known.set(path, made)
    return made
  }
  const builtIn = lazy(() => [...served.keys()].map((path) => find(path)!))
  const byPrefix = lazy(() => Map.groupBy(builtIn(), ({ stored }) => stored.prefix))
  return {
    resources: () => [...builtIn(), ...customResources.resources()],
    // A definition cannot take the place of a built-in kind.
    resource: (group, version, plural) => find(key({ group, version, plural })) ?? customResources.resource(group, version, plural),
    of: <T extends KubeObject>(descriptor: Descriptor<T>) => find(key(descriptor)) as unknown as Resource<T>,
    served: (descriptor) => find(key(descriptor))!,
    hasBuiltInGroup: (group) => groups.has(group),
    builtInDescriptors: () => descriptors,
    builtInGroupVersions: groupVersions,
    enabledVersions,
    builtIn: (group, version, plural) => served.has(key({ group, version, plural })),
    storedBelow: (prefix) => byPrefix().get(prefix) ?? [],
    customResources,
  }
}

function key({ group, version, plural }: Pick<Descriptor, "group" | "version" | "plural">): string {
  return `${group}/${version}/${plural}`
}
