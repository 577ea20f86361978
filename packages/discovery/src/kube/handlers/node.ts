import type { Node } from "@pilothouse/api/core/v1"
import { type ChainTask, podsByNode } from "@pilothouse/runtime"
import { formatLocality, localityOf } from "../convert/locality.ts"
import type { RegistryState } from "../state/state.ts"
import { applyNodeGatewayChanges } from "./gateways.ts"

/** Endpoints and clients are where their node is. */
export function applyNodeChange(state: RegistryState, task: ChainTask<Node>): void {
  applyNodeGatewayChanges(state)
  const { sources, podCache, watched } = state
  const { key } = task
  const pods = watched.pods.keysBy(podsByNode, key)
  if (isElsewhere(state, task)) {
    for (const pod of pods) for (const address of podCache.addressesOf(pod)) state.subscribers.workloadUpdate(address, pod)
  }
  // At the start there is nothing yet that could be looked at again.
  if (state.handled.size === 0) return
  // An address that was written by hand is where the pod at that address is.
  const addresses = pods.flatMap((pod) => podCache.addressesOf(pod))
  const affected = [...pods.flatMap((pod) => sources.ofPod(pod)), ...addresses.flatMap((address) => sources.atAddress(address))]
  state.again(new Set([...affected, ...sources.ofNode(key)]))
}

/** Its labels name another place than before. */
function isElsewhere({ nodePlaces }: RegistryState, { event, key, object }: ChainTask<Node>): boolean {
  const before = nodePlaces.get(key) ?? ""
  const after = event === "delete" ? "" : formatLocality(localityOf(undefined, object))
  if (after === "") nodePlaces.delete(key)
  else nodePlaces.set(key, after)
  return before !== after
}
