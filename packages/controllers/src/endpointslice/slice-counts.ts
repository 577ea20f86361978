import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { Gauge } from "@pilothouse/seams"
import { ObjectCountGauge } from "../shared/object-count-gauge.ts"

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
