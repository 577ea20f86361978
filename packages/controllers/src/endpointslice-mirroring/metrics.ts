import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { endpointKey, isSameEndpoint } from "../endpointslice/endpoint.ts"
import { counterFamily, createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"
import { groupKey } from "./mirror.ts"
import type { Observed } from "./observe.ts"

const subsystem = "endpoint_slice_mirroring_controller"
const many = exponentialBuckets(2, 2, 15)

export const mirroringFamilies = {
  added: histogramFamily(`${subsystem}_endpoints_added_per_sync`, [], "Endpoints that a reconcile of Endpoints added", many),
  updated: histogramFamily(`${subsystem}_endpoints_updated_per_sync`, [], "Endpoints that a reconcile of Endpoints changed", many),
  removed: histogramFamily(`${subsystem}_endpoints_removed_per_sync`, [], "Endpoints that a reconcile of Endpoints removed", many),
  changes: counterFamily(`${subsystem}_changes`, ["operation"], "Mirrored EndpointSlices that were created, updated or deleted"),
}

/** Returns what records the writes of a reconcile. */
export function mirroringMetrics(metrics: Metrics) {
  const created = createMetrics(metrics, mirroringFamilies)
  return (_key: string, { observed, results }: ReconcileResult<Observed>): void => {
    if (observed?.endpoints === undefined) return
    const before = new Map(observed.slices.map((slice) => [slice.metadata.name, slice]))
    const totals = { added: 0, updated: 0, removed: 0 }
    for (const { operation, ok } of results) {
      if (ok !== true || !("object" in operation)) continue
      created.changes.add(1, { operation: operation.do })
      const slice = operation.object as EndpointSlice
      count(totals, before.get(slice.metadata.name), operation.do === "delete" ? undefined : slice)
    }
    created.added.observe(totals.added)
    created.updated.observe(totals.updated)
    created.removed.observe(totals.removed)
  }
}

/** A slice that is used for other ports holds other endpoints, even at the same addresses. */
function count(totals: { added: number; updated: number; removed: number }, old?: EndpointSlice, now?: EndpointSlice): void {
  const before = endpointsByKey(old)
  const after = endpointsByKey(now)
  for (const [key, endpoint] of after) {
    const known = before.get(key)
    if (known === undefined) totals.added++
    else if (!isSameEndpoint(known, endpoint)) totals.updated++
  }
  for (const key of before.keys()) if (!after.has(key)) totals.removed++
}

function endpointsByKey(slice: EndpointSlice | undefined) {
  const group = slice === undefined ? "" : groupKey(slice.addressType, slice.ports)
  return new Map((slice?.endpoints ?? []).map((endpoint) => [`${group} ${endpointKey(endpoint)}`, endpoint]))
}
