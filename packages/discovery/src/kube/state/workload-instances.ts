import { keyOf } from "@pilothouse/api"
import { parseIp } from "@pilothouse/api/net"
import type { Service } from "../../model/service.ts"
import type { WorkloadInstance } from "../../model/workload-instance.ts"
import { isSubset } from "../index/service-index.ts"
import { addTo, takeFrom } from "../index/sets-by-key.ts"

/**
 * Workloads that are no pods.
 *
 * Invariant: each stands once under its name, under each of its addresses and under each of its labels; no set is empty.
 */
export class WorkloadInstances {
  readonly #byName = new Map<string, WorkloadInstance>()
  readonly #byAddress = new Map<string, Set<string>>()
  readonly #byLabel = new Map<string, Set<string>>()

  get(key: string): WorkloadInstance | undefined {
    return this.#byName.get(key)
  }

  /** One without labels cannot be selected, and one without an address cannot be reached: both count as absent. */
  put(instance: WorkloadInstance): void {
    const key = keyOf({ metadata: instance })
    this.remove(key)
    if (Object.keys(instance.labels).length === 0 || parseIp(instance.addresses[0] ?? "") === undefined) return
    this.#byName.set(key, instance)
    for (const address of instance.addresses) addTo(this.#byAddress, address, key)
    for (const label of labelsOf(instance)) addTo(this.#byLabel, label, key)
  }

  remove(key: string): void {
    const old = this.#byName.get(key)
    if (old === undefined) return
    this.#byName.delete(key)
    for (const address of old.addresses) takeFrom(this.#byAddress, address, key)
    for (const label of labelsOf(old)) takeFrom(this.#byLabel, label, key)
  }

  /** By namespace and name. */
  at(address: string): readonly WorkloadInstance[] {
    return this.#resolve(this.#byAddress.get(address))
  }

  /** By name; only those are looked at that share a label with the selector. */
  selectedBy({ namespace, selector, resolution }: Service): readonly WorkloadInstance[] {
    const [pair] = Object.entries(selector ?? {})
    if (pair === undefined || resolution !== "client-side") return []
    return this.#resolve(this.#byLabel.get(`${namespace}/${pair.join("=")}`)).filter(({ labels }) => isSubset(selector, labels))
  }

  #resolve(keys: ReadonlySet<string> | undefined): readonly WorkloadInstance[] {
    return [...(keys ?? [])].sort().flatMap((key) => this.#byName.get(key) ?? [])
  }
}

function labelsOf({ namespace, labels }: WorkloadInstance): ReadonlySet<string> {
  return new Set(Object.entries(labels).map((pair) => `${namespace}/${pair.join("=")}`))
}
