import { apiVersionOf, compareText, type Descriptor } from "@pilothouse/api"
import { compareVersions } from "../resources/version-order.ts"
import { builtInPriority, customPriority, type Priority } from "./group-priorities.ts"

/** A version of a group, as discovery describes it. */
export interface ServedVersion {
  readonly version: string
  /** "v1", "apps/v1". */
  readonly groupVersion: string
  /** By plural, so that a resource comes before its subresources wherever they stand in one list. */
  readonly resources: readonly Descriptor[]
  /** Of a version that an extension server answers for. */
  readonly remote?: RemoteVersion
  readonly storageVersions?: StorageVersions
}

/** In which version a resource is stored where that is another one; undefined where that one is not served. */
export type StorageVersions = ReadonlyMap<Descriptor, string | undefined>

/** What is known of a group version that an extension server answers for. */
export interface RemoteVersion {
  readonly priority: Priority
  /** Undefined until the server was read. */
  readonly discovered: { readonly resources: readonly object[]; readonly freshness: "Current" | "Stale" } | undefined
}

/** A group version that an extension server answers for: it takes the place of one that is served here. */
export interface RemoteGroupVersion extends ServedVersion {
  readonly group: string
  readonly remote: RemoteVersion
}

export interface ServedGroup {
  /** "" for the core group. */
  readonly name: string
  /** The preferred one first. */
  readonly versions: readonly ServedVersion[]
}

/** Returns the groups in the order in which clients prefer them. */
export function servedGroups(
  descriptors: readonly Descriptor[],
  remotes: readonly RemoteGroupVersion[] = [],
  storageVersions?: StorageVersions,
): readonly ServedGroup[] {
  const byGroup = Map.groupBy(descriptors, (descriptor) => descriptor.group)
  const remoteByGroup = Map.groupBy(remotes, ({ group }) => group)
  return [...new Set([...byGroup.keys(), ...remoteByGroup.keys()])]
    .map((name) => {
      const served = versionsOf(name, byGroup.get(name) ?? [], remoteByGroup.get(name) ?? [])
      const versions = storageVersions === undefined ? served : served.map((version) => ({ ...version, storageVersions }))
      return { priority: groupPriority(name, versions), group: { name, versions } }
    })
    .sort((a, b) => b.priority - a.priority || compareText(a.group.name, b.group.name))
    .map(({ group }) => group)
}

function versionsOf(group: string, members: readonly Descriptor[], remotes: readonly RemoteGroupVersion[]): readonly ServedVersion[] {
  const byVersion = Map.groupBy(members, (descriptor) => descriptor.version)
  for (const { version } of remotes) byVersion.delete(version)
  const own = [...byVersion].map(([version, resources]) => ({
    version,
    groupVersion: apiVersionOf(resources[0]!),
    resources: resources.toSorted(byPlural),
  }))
  return [...own, ...remotes].sort(
    (a, b) => priorityOf(group, b).version - priorityOf(group, a).version || compareVersions(a.version, b.version),
  )
}

function groupPriority(name: string, versions: readonly ServedVersion[]): number {
  return Math.max(...versions.map((version) => priorityOf(name, version).group))
}

/** Groups that upstream does not have stand where custom resources do. */
function priorityOf(group: string, { version, remote }: ServedVersion): Priority {
  return remote?.priority ?? builtInPriority(group, version) ?? customPriority
}

function byPlural(a: Descriptor, b: Descriptor): number {
  return compareText(a.plural, b.plural)
}
