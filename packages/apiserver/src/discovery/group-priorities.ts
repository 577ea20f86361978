/** Where a group version stands among others: the highest first. */
export interface Priority {
  readonly group: number
  readonly version: number
}

/** Upstream's order: where two groups have the same short name or kind, kubectl takes the first group. */
const groups: Readonly<Record<string, number>> = {
  "": 18_000,
  // Before all others, whatever extension servers say: it has no APIService of its own.
  "apiregistration.k8s.io": 20_001,
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  "rbac.authorization.k8s.io": 17_000,
  "storage.k8s.io": 16_800,
  "admissionregistration.k8s.io": 16_700,
  "apiextensions.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
  "resource.k8s.io": 16_200,
  "flowcontrol.apiserver.k8s.io": 16_100,
  "internal.apiserver.k8s.io": 16_000,
  "storagemigration.k8s.io": 15_800,
  // As metrics-server and its neighbours are installed.
  "metrics.k8s.io": 100,
  "custom.metrics.k8s.io": 100,
  "external.metrics.k8s.io": 100,
}

/** Those of stable versions are 15, but for these; of beta versions 9, of alpha versions 1. */
const versions: Readonly<Record<string, number>> = {
  "/v1": 1,
  "autoscaling/v2": 30,
  "resource.k8s.io/v1": 21,
  "flowcontrol.apiserver.k8s.io/v1": 21,
  "admissionregistration.k8s.io/v1beta1": 12,
  "coordination.k8s.io/v1beta1": 13,
  "resource.k8s.io/v1beta2": 15,
  "internal.apiserver.k8s.io/v1alpha1": 9,
  "scheduling.k8s.io/v1alpha2": 2,
}

/** Of custom resources: behind the built-in groups, and in the order of their versions. */
export const customPriority: Priority = { group: 1000, version: 100 }

/** The version of a group that upstream installs an extension server for. */
const extensionVersion = 100

/** Returns the priority of a built-in group version; undefined for a group version that upstream does not have. */
export function builtInPriority(group: string, version: string): Priority | undefined {
  if (!Object.hasOwn(groups, group)) return undefined
  const priority = groups[group]!
  if (priority === 100) return { group: priority, version: extensionVersion }
  return { group: priority, version: versions[`${group}/${version}`] ?? stabilityPriority(version) }
}

function stabilityPriority(version: string): number {
  if (version.includes("alpha")) return 1
  return version.includes("beta") ? 9 : 15
}
