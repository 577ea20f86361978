import { apiVersionOf, type Descriptor } from "@pilothouse/api"
import { compareVersions } from "../resources/version-order.ts"

export interface ServedVersion {
  readonly version: string
  /** "v1", "apps/v1". */
  readonly groupVersion: string
  /** By plural, so that a resource comes before its subresources wherever they stand in one list. */
  readonly resources: readonly Descriptor[]
}

export interface ServedGroup {
  /** "" for the core group. */
  readonly name: string
  /** The preferred one first. */
  readonly versions: readonly ServedVersion[]
}

/** Upstream's order: where two groups have the same short name or kind, kubectl takes the first group. */
const groupOrder: readonly string[] = [
  "",
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "internal.apiserver.k8s.io",
  "storagemigration.k8s.io",
]

export function servedGroups(descriptors: readonly Descriptor[]): readonly ServedGroup[] {
  const byGroup = Map.groupBy(descriptors, (descriptor) => descriptor.group)
  return [...byGroup]
    .map(([name, members]) => ({ name, versions: versionsOf(members) }))
    .sort((a, b) => rank(a.name) - rank(b.name) || compareText(a.name, b.name))
}

function versionsOf(members: readonly Descriptor[]): readonly ServedVersion[] {
  const byVersion = Map.groupBy(members, (descriptor) => descriptor.version)
  return [...byVersion]
    .map(([version, resources]) => ({ version, groupVersion: apiVersionOf(resources[0]!), resources: resources.toSorted(byPlural) }))
    .sort((a, b) => compareVersions(a.version, b.version))
}

/** Groups that upstream does not have come last. */
function rank(group: string): number {
  const index = groupOrder.indexOf(group)
  return index < 0 ? groupOrder.length : index
}

function byPlural(a: Descriptor, b: Descriptor): number {
  return compareText(a.plural, b.plural)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
