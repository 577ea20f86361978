import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { ReconcileResult, Result } from "@pilothouse/runtime"
import type { Gauge, Metrics } from "@pilothouse/seams"
import { selects } from "../service-endpoints/selector.ts"
import { counterFamily, createMetrics, exponentialBuckets, gaugeFamily, histogramFamily } from "../shared/metric-families.ts"
import { ObjectCountGauge } from "../shared/object-count-gauge.ts"
import { usesTopologyHints } from "./hints.ts"
import type { Observed } from "./observe.ts"

const subsystem = "endpoint_slice_controller"
const many = exponentialBuckets(2, 2, 15)

export const endpointSliceFamilies = {
  added: histogramFamily(`${subsystem}_endpoints_added_per_sync`, [], "Endpoints that a reconcile of a Service added", many),
  removed: histogramFamily(`${subsystem}_endpoints_removed_per_sync`, [], "Endpoints that a reconcile of a Service removed", many),
  desired: gaugeFamily(`${subsystem}_endpoints_desired`, [], "Endpoints that all Services should have"),
  slices: gaugeFamily(`${subsystem}_num_endpoint_slices`, [], "EndpointSlices of all Services"),
  desiredSlices: gaugeFamily(`${subsystem}_desired_endpoint_slices`, [], "EndpointSlices that there would be if all were packed tightly"),
  changes: counterFamily(`${subsystem}_changes`, ["operation"], "EndpointSlices that were made, changed or deleted"),
  changed: histogramFamily(
    `${subsystem}_endpointslices_changed_per_sync`,
    ["topology", "traffic_distribution"],
    "EndpointSlices that a reconcile of a Service changed",
  ),
  syncs: counterFamily(`${subsystem}_syncs`, ["result"], "Looks at Services, by result: success, stale or error"),
  distributions: gaugeFamily(
    `${subsystem}_services_count_by_traffic_distribution`,
    ["traffic_distribution"],
    "Services by the distribution of traffic that they ask for",
  ),
}

const verbs: Readonly<Record<string, string>> = { create: "create", update: "update", delete: "delete" }

/** Returns an observer of reconciles that keeps upstream's metrics of EndpointSlices. */
export function endpointSliceMetrics(metrics: Metrics, maxEndpointsPerSlice: number) {
  const created = createMetrics(metrics, endpointSliceFamilies)
  const counts = new SliceCounts(created, maxEndpointsPerSlice)
  return {
    onCacheLagging: () => created.syncs.add(1, { result: "stale" }),
    ended(key: string, { observed, results, error }: ReconcileResult<Observed>): void {
      created.syncs.add(1, { result: error === undefined ? "success" : "error" })
      if (observed === undefined || !selects(observed.service)) return counts.forget(key)
      const written = results.filter(({ operation, ok }) => ok === true && operation.do in verbs)
      for (const { operation } of written) created.changes.add(1, { operation: operation.do })
      const after = slicesAfter(observed.slices, written)
      const [before, now] = [addressesIn(observed.slices), addressesIn(after)]
      created.added.observe(now.difference(before).size)
      created.removed.observe(before.difference(now).size)
      const usesHints = usesTopologyHints(observed.service)
      const distribution = usesHints ? "" : (observed.service.spec?.trafficDistribution ?? "")
      created.changed.observe(written.length, { topology: usesHints ? "Auto" : "Disabled", traffic_distribution: distribution })
      counts.set(key, after, distribution)
    },
  }
}

/** What there is once these were written. */
function slicesAfter(before: readonly EndpointSlice[], written: readonly Result[]): readonly EndpointSlice[] {
  const slices = new Map(before.map((slice) => [slice.metadata.name ?? "", slice]))
  for (const result of written) {
    if (!("object" in result.operation) || result.ok !== true) continue
    const slice = (result.object ?? result.operation.object) as EndpointSlice
    if (result.operation.do === "delete") slices.delete(result.operation.object.metadata.name ?? "")
    else slices.set(slice.metadata.name ?? "", slice)
  }
  return [...slices.values()]
}

/** By address and ports: an endpoint that moves to another slice is the same. */
function addressesIn(slices: readonly EndpointSlice[]): ReadonlySet<string> {
  return new Set(
    slices.flatMap(({ endpoints, ports }) =>
      (endpoints ?? []).map(({ addresses }) => `${addresses.join()} ${JSON.stringify(ports ?? [])}`),
    ),
  )
}

interface Gauges {
  readonly desired: Gauge
  readonly slices: Gauge
  readonly desiredSlices: Gauge
  readonly distributions: Gauge
}

interface Counts {
  readonly endpoints: number
  readonly slices: number
  readonly packed: number
}

const none: Counts = { endpoints: 0, slices: 0, packed: 0 }

/**
 * What all Services together have, updated by the reconcile of each of them.
 * Invariant: the gauges are the sums of what was last set for each Service that exists.
 */
export class SliceCounts {
  readonly #gauges: Gauges
  readonly #perSlice: number
  readonly #distributions: ObjectCountGauge
  readonly #services = new Map<string, Counts>()
  #sum = none

  constructor(gauges: Gauges, perSlice: number) {
    this.#gauges = gauges
    this.#perSlice = perSlice
    this.#distributions = new ObjectCountGauge(gauges.distributions)
  }

  set(key: string, slices: readonly EndpointSlice[], distribution: string): void {
    this.#replace(key, this.#countsOf(slices))
    this.#distributions.set(key, distribution === "" ? undefined : { traffic_distribution: distribution })
  }

  forget(key: string): void {
    this.#replace(key, undefined)
    this.#distributions.set(key, undefined)
  }

  #replace(key: string, next: Counts | undefined): void {
    const { endpoints, slices, packed } = this.#services.get(key) ?? none
    const added = next ?? none
    this.#sum = {
      endpoints: this.#sum.endpoints - endpoints + added.endpoints,
      slices: this.#sum.slices - slices + added.slices,
      packed: this.#sum.packed - packed + added.packed,
    }
    if (next === undefined) this.#services.delete(key)
    else this.#services.set(key, next)
    this.#gauges.desired.set(this.#sum.endpoints)
    this.#gauges.slices.set(this.#sum.slices)
    this.#gauges.desiredSlices.set(this.#sum.packed)
  }

  /** Slices of other ports or families cannot be one. */
  #countsOf(slices: readonly EndpointSlice[]): Counts {
    const sizes = new Map<string, number>()
    for (const { addressType, ports, endpoints } of slices) {
      const kind = `${addressType} ${JSON.stringify(ports ?? [])}`
      // Of a slice without endpoints a server says null, whatever the type says.
      sizes.set(kind, (sizes.get(kind) ?? 0) + (endpoints?.length ?? 0))
    }
    const all = [...sizes.values()]
    const packed = all.reduce((sum, size) => sum + Math.max(1, Math.ceil(size / this.#perSlice)), 0)
    return { endpoints: all.reduce((sum, size) => sum + size, 0), slices: slices.length, packed }
  }
}
