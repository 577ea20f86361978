import type { Pod } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"
import { type PodFacts, podFacts } from "../pod/pod-facts.ts"
import type { ResourceSlots } from "../pod/resource-slots.ts"
import { isWaiting, type SchedulerNames } from "../pod/waiting-pods.ts"

const noPods: readonly PodFacts[] = []

/**
 * Pods for which others are evicted from a node. Until they are there, no pod of lower priority may take the freed capacity.
 * Invariant between calls: each of them waits, stands on one node, and no node is empty.
 */
export class NominatedPods {
  readonly #slots: ResourceSlots
  readonly #freed: () => void
  readonly #schedulers: SchedulerNames | undefined
  readonly #nodes = new Map<string, Map<string, PodFacts>>()
  readonly #nodeOf = new Map<string, string>()

  /** `freed` is called when one of them will not come after all. */
  constructor(slots: ResourceSlots, freed: () => void, schedulers?: SchedulerNames) {
    this.#schedulers = schedulers
    this.#slots = slots
    this.#freed = freed
  }

  restart(): void {
    this.#nodes.clear()
    this.#nodeOf.clear()
  }

  /** Almost always empty. */
  on(node: string): readonly PodFacts[] {
    const there = this.#nodes.size === 0 ? undefined : this.#nodes.get(node)
    return there === undefined ? noPods : [...there.values()]
  }

  /** Also before the cache says so. */
  add(pod: PodFacts, node: string): void {
    this.#delete(pod.uid)
    this.#nodeOf.set(pod.uid, node)
    const there = this.#nodes.get(node) ?? new Map<string, PodFacts>()
    this.#nodes.set(node, there.set(pod.uid, pod))
  }

  podChanged(change: Change<Pod>): void {
    const { object: pod } = change
    const { uid = "" } = pod.metadata
    const said = pod.status?.nominatedNodeName || undefined
    const known = this.#nodeOf.get(uid)
    if (said === undefined && known === undefined) return
    const waits = change.type !== "deleted" && isWaiting(pod, this.#schedulers)
    const node = isOlder(change) ? known : said
    if (waits && node !== undefined) this.add(podFacts(pod, this.#slots), node)
    else this.#delete(uid)
    if (known !== undefined && known !== (waits ? node : pod.spec?.nodeName)) this.#freed()
  }

  #delete(uid: string): void {
    const node = this.#nodeOf.get(uid)
    if (node === undefined) return
    this.#nodeOf.delete(uid)
    const there = this.#nodes.get(node)
    there?.delete(uid)
    if (there?.size === 0) this.#nodes.delete(node)
  }
}

/** A change that never had a node is older than what we know ourselves. */
function isOlder(change: Change<Pod>): boolean {
  return change.type === "updated" && !change.object.status?.nominatedNodeName && !change.old.status?.nominatedNodeName
}
