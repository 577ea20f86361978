import type { Node } from "@pilothouse/api/core/v1"
import { type ChainTask, podsByNode } from "@pilothouse/runtime"
import type { RegistryState } from "../state.ts"
import { takeGatewaysAtNodes } from "./gateways.ts"

/** Endpoints are where their node is. */
export function takeNode(state: RegistryState, { key }: ChainTask<Node>): void {
  takeGatewaysAtNodes(state)
  const { sources, podCache, watched } = state
  const pods = watched.pods.keysBy(podsByNode, key)
  // An address that somebody wrote by hand is where the pod at that address is.
  const addresses = pods.flatMap((pod) => podCache.addressesOf(pod))
  const affected = [...pods.flatMap((pod) => sources.ofPod(pod)), ...addresses.flatMap((address) => sources.atAddress(address))]
  state.again(new Set([...affected, ...sources.ofNode(key)]))
}
