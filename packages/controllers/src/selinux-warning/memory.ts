import { splitKey } from "@pilothouse/api"
import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"
import type { Gauge, Labels } from "@pilothouse/seams"
import { type Conflict, conflictsBetween } from "./conflicts.ts"
import type { LabeledVolume, PodVolumes } from "./volumes.ts"

/** Replaces what is remembered of the volumes of a pod. */
export interface RememberPodVolumes extends RememberOperation {
  readonly do: "remember-pod-volumes"
  readonly pod: string
  readonly volumes: PodVolumes
}

export const noVolumes: PodVolumes = { labeled: [], ambiguous: [] }

/**
 * Remembers how pods have their volumes, so that each conflict is reported once; the gauge shows those that last. After a restart they are found, and
 * reported, again, as upstream's.
 *
 * Invariant: `#users` has a pod under the names of exactly its volumes in `#pods`.
 */
export class LabeledVolumes {
  readonly #pods = new Map<string, PodVolumes>()
  /** The pods that have a volume. */
  readonly #users = new Map<string, Map<string, LabeledVolume>>()
  readonly #gauge: Gauge | undefined

  constructor(gauge?: Gauge) {
    this.#gauge = gauge
  }

  of(pod: string): PodVolumes {
    return this.#pods.get(pod) ?? noVolumes
  }

  podsOfDriver(driver: string): readonly string[] {
    const users = [...this.#users.values()].flatMap((pods) => [...pods])
    return [...new Set(users.flatMap(([pod, volume]) => (volume.driver === driver ? [pod] : [])))]
  }

  /** The conflicts about a volume if a pod has it so. */
  conflictsOf(pod: string, volume: LabeledVolume): readonly Conflict[] {
    const others = [...(this.#users.get(volume.volume) ?? [])].filter(([other]) => other !== pod)
    return others.flatMap(([other, theirs]) => conflictsBetween(pod, volume, other, theirs))
  }

  keep(pod: string, volumes: PodVolumes): void {
    for (const labels of this.#labelsOf(pod)) this.#gauge?.remove(labels)
    for (const { volume } of this.of(pod).labeled) {
      this.#users.get(volume)?.delete(pod)
      if (this.#users.get(volume)?.size === 0) this.#users.delete(volume)
    }
    this.#pods.delete(pod)
    if (volumes.labeled.length + volumes.ambiguous.length > 0) this.#pods.set(pod, volumes)
    for (const volume of volumes.labeled) {
      const users = this.#users.get(volume.volume) ?? new Map<string, LabeledVolume>()
      this.#users.set(volume.volume, users.set(pod, volume))
    }
    for (const labels of this.#labelsOf(pod)) this.#gauge?.set(1, labels)
  }

  executors(): readonly Executor[] {
    return [remembers<RememberPodVolumes>("remember-pod-volumes", ({ pod, volumes }) => this.keep(pod, volumes))]
  }

  #labelsOf(pod: string): readonly Labels[] {
    return this.of(pod)
      .labeled.flatMap((volume) => this.conflictsOf(pod, volume))
      .map(labelsOf)
  }
}

function labelsOf({ property, pod, value, other, otherValue }: Conflict): Labels {
  const [one, two] = [splitKey(pod), splitKey(other)]
  return {
    property,
    pod1_namespace: one.namespace ?? "",
    pod1_name: one.name,
    pod1_value: value,
    pod2_namespace: two.namespace ?? "",
    pod2_name: two.name,
    pod2_value: otherValue,
  }
}
