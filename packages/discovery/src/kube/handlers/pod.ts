import type { Pod } from "@pilothouse/api/core/v1"
import type { ChainTask } from "@pilothouse/runtime"
import { sameLabelsAndAnnotations } from "../relevant.ts"
import type { RegistryState } from "../state.ts"

/** Keeps the pods' addresses, and repairs the endpoints that waited for a pod or show its labels. */
export function takePod(state: RegistryState, { event, key, object }: ChainTask<Pod>): void {
  const seen = event !== "delete" && state.selection.has(object.metadata.namespace ?? "")
  const moved = state.podCache.put(key, seen ? object : undefined)
  const held = state.podCache.addressesOf(key)
  const addresses = moved.length === 0 ? held : [...new Set([...moved, ...held])]
  if (moved.length > 0 || isOther(state, key, object)) for (const address of addresses) state.subscribers.workloadUpdate(address, key)
  if (held.length > 0) state.workloads.set(key, object.metadata)
  else state.workloads.delete(key)
  // At the start there is nothing yet that could have waited for ten thousand pods.
  if (state.handled.size === 0) return
  state.again(new Set([...state.sources.ofPod(key), ...addresses.flatMap((address) => state.sources.atAddress(address))]))
}

/** Only who came, left or changed its labels is told: a resync says nothing new. */
function isOther(state: RegistryState, key: string, { metadata }: Pod): boolean {
  const before = state.workloads.get(key)
  return before !== undefined && !sameLabelsAndAnnotations({ metadata: before }, { metadata })
}
