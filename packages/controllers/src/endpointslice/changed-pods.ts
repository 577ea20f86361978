import type { Pod } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointSlice } from "@pilothouse/api/discovery/v1"

/** The pods whose endpoint in the slices that are written is new, or says something else of their readiness. */
export function changedPods(pods: readonly Pod[], before: readonly EndpointSlice[], written: readonly EndpointSlice[]): readonly Pod[] {
  const known = new Set(endpointsOf(before).map(stateOf))
  const changed = new Set(endpointsOf(written).flatMap((one) => (known.has(stateOf(one)) ? [] : [one.targetRef?.uid])))
  return pods.filter(({ metadata }) => changed.has(metadata.uid))
}

function endpointsOf(slices: readonly EndpointSlice[]): readonly Endpoint[] {
  return slices.flatMap((slice) => slice.endpoints ?? [])
}

function stateOf({ addresses, conditions: { ready, serving, terminating } = {}, targetRef }: Endpoint): string {
  return JSON.stringify([targetRef?.uid, addresses, ready, serving, terminating])
}
