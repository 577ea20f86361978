import type { Pod } from "@pilothouse/api/core/v1"
import { sameLabelsAndAnnotations } from "../informer/relevant.ts"
import type { RegistryState } from "../state/state.ts"

/** Keeps the pods' addresses, and repairs the endpoints that waited for a pod or show its labels. Undefined: the pod is gone. */
export function applyPodChange(state: RegistryState, key: string, pod: Pod | undefined): void {
  const seen = seenPod(state, pod)
  const moved = state.podCache.put(key, seen)
  const held = state.podCache.addressesOf(key)
  const addresses = moved.length === 0 ? held : [...new Set([...moved, ...held])]
  if (moved.length > 0 || isOther(state, key, seen)) for (const address of addresses) state.subscribers.workloadUpdate(address, key)
  if (seen !== undefined && held.length > 0) state.workloads.set(key, seen.metadata)
  else state.workloads.delete(key)
  // At the start there is nothing yet that could have waited for ten thousand pods.
  if (state.handled.size === 0) return
  state.again(new Set([...state.sources.ofPod(key), ...addresses.flatMap((address) => state.sources.atAddress(address))]))
}

/** The pod, where its namespace is looked at. */
export function seenPod(state: RegistryState, pod: Pod | undefined): Pod | undefined {
  return pod !== undefined && state.selection.has(pod.metadata.namespace ?? "") ? pod : undefined
}

/** Only a pod that came, left or changed its labels is announced: a resync is no change. */
function isOther(state: RegistryState, key: string, pod: Pod | undefined): boolean {
  const before = state.workloads.get(key)
  return pod !== undefined && before !== undefined && !sameLabelsAndAnnotations({ metadata: before }, pod)
}
