import type { EndpointSubset, Pod } from "@pilothouse/api/core/v1"

/** The pods whose address is new, or has become ready or not ready. */
export function changedPods(pods: readonly Pod[], before: readonly EndpointSubset[], after: readonly EndpointSubset[]): readonly Pod[] {
  const [old, now] = [states(before), states(after)]
  return pods.filter(({ metadata: { uid = "" } }) => now.has(uid) && old.get(uid) !== now.get(uid))
}

/** "10.0.0.1 ready" by the uid of the pod. */
function states(subsets: readonly EndpointSubset[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { addresses = [], notReadyAddresses = [] } of subsets) {
    for (const { ip, targetRef } of addresses) found.set(targetRef?.uid ?? "", `${ip} ready`)
    for (const { ip, targetRef } of notReadyAddresses) found.set(targetRef?.uid ?? "", `${ip} not ready`)
  }
  return found
}
