const metadata = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "generateName",
  "generation",
  "selfLink",
  "managedFields",
]
// The server refuses any change of these, whatever the patch: drawing them would only hide the rest of a patch.
const immutable = [
  "spec.selector",
  "spec.volumeClaimTemplates",
  "spec.clusterIP",
  "spec.clusterIPs",
  "spec.ipFamilies",
  "spec.podCIDR",
  "spec.podCIDRs",
  "status.podIP",
  "status.podIPs",
  "status.qosClass",
  "roleRef",
  "type",
  "addressType",
  "immutable",
]
// Kept as numbers elsewhere: a text in it fails in a conversion that has nothing to do with patches.
const converted = ["metadata.annotations.deprecated.daemonset.template.generation"]

const offLimits: ReadonlySet<string> = new Set(
  ["apiVersion", "kind", "status", ...metadata.map((name) => `metadata.${name}`), ...immutable, ...converted].map((path) => `.${path}`),
)

/**
 * What says which object it is and in which state: a patch of these is about requests, not about patches.
 * `.metadata.name`; lists have no index in these paths.
 */
export function isOffLimits(path: string): boolean {
  return offLimits.has(path)
}
