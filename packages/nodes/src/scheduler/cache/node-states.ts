import { isPodTerminal } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"
import { countsTheSame, type PodFacts, podFacts } from "../pod/pod-facts.ts"
import { ResourceSlots } from "../pod/resource-slots.ts"
import { isUnplaced, type SchedulerNames } from "../pod/waiting-pods.ts"
import { count } from "./count.ts"
import { NodeState } from "./node-state.ts"
import { NominatedPods } from "./nominated-pods.ts"
import { PlacedPods } from "./placed-pods.ts"

interface Place {
  readonly facts: PodFacts
  readonly node: NodeState
  /** The informer does not show it there yet: the scheduler bound it to this node, or reserves the capacity. */
  readonly assumed: boolean
  /** Until when it is kept, where the pod has not been bound yet. */
  readonly until?: number
}

/** A node whose capacity is reserved for a pod until its volumes are bound. */
export interface Reservation {
  readonly node: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Pods that are not in the state for as long as a function runs. */
export interface RemovedPods {
  /** Returns one to its place. */
  putBack(pod: PodFacts): void
  /** Removes one that was put back. */
  remove(pod: PodFacts): void
}

/**
 * The scheduler's cache: it follows the caches of pods and nodes change by change, as a walk over all of them for every pod would take hours.
 *
 * Invariant between calls: a pod that has a node, or was given one, and that has not ended stands in #places once, on that node and
 * in #placed, with its requests as last observed; no other pod does. An assumed pod waits in the cache. #images has the sums over #nodes.
 */
export class NodeStates {
  readonly slots = new ResourceSlots()
  #placed = new PlacedPods()
  readonly #nodes = new Map<string, NodeState>()
  readonly #places = new Map<string, Place>()
  /** How many of the nodes that there are have each image. */
  readonly #images = new Map<string, number>()
  readonly #nominated: NominatedPods
  #listed: readonly NodeState[] | undefined
  readonly #freed: () => void

  /** `freed` is called when reserved capacity is released that the informer never showed as taken. */
  constructor(freed: () => void = () => {}, schedulers?: SchedulerNames) {
    this.#freed = freed
    this.#nominated = new NominatedPods(this.slots, freed, schedulers)
  }

  restart(): void {
    this.#placed = new PlacedPods()
    this.#nodes.clear()
    this.#places.clear()
    this.#images.clear()
    this.#nominated.restart()
    this.#listed = undefined
  }

  /** The nodes that there are, by name: the same state gives the same decision. */
  list(): readonly NodeState[] {
    this.#listed ??= [...this.#nodes.values()].filter(({ isThere }) => isThere).sort((a, b) => (a.name < b.name ? -1 : 1))
    return this.#listed
  }

  get(name: string): NodeState | undefined {
    const state = this.#nodes.get(name)
    return state?.isThere ? state : undefined
  }

  /** All pods that have a place, also on a node that is gone before they are. */
  get placed(): Pick<PlacedPods, "hasBelow" | "kinds" | "processPorts" | "usersOf"> {
    return this.#placed
  }

  /** How many nodes have the image of that name. */
  nodesWith(image: string): number {
    return this.#images.get(image) ?? 0
  }

  /** Returns the result of the function on a state without these pods, of which it may return some to their places, and restores the state. */
  without<T>(gone: readonly PodFacts[], say: (removed: RemovedPods) => T): T {
    const places = new Map(gone.flatMap(({ uid }) => (this.#places.has(uid) ? [[uid, this.#places.get(uid)!]] : [])))
    const putBack = ({ uid }: PodFacts) => {
      const place = places.get(uid)
      if (place === undefined) return
      const { facts, node, ...rest } = place
      this.#enter(facts, node.name, rest)
    }
    for (const uid of places.keys()) this.#leave(uid)
    try {
      return say({ putBack, remove: ({ uid }) => this.#leave(uid) })
    } finally {
      for (const [uid, { facts }] of places) {
        this.#leave(uid)
        putBack(facts)
      }
    }
  }

  /** Returns the result of the function on a state with these pods on that node, and restores the state. */
  with<T>(coming: readonly PodFacts[], node: string, say: () => T): T {
    for (const pod of coming) this.#enter(pod, node, { assumed: true })
    try {
      return say()
    } finally {
      for (const { uid } of coming) this.#leave(uid)
    }
  }

  /** Pods that are nominated to the node and are not there yet. */
  nominatedOn(node: string): readonly PodFacts[] {
    const found = this.#nominated.on(node)
    return found.length === 0 ? found : found.filter(({ uid }) => !this.#places.has(uid))
  }

  nominate(pod: PodFacts, node: string): void {
    this.#nominated.add(pod, node)
  }

  /** The node that is kept for a pod which the cache shows without one. */
  assumedFor(uid: string): Reservation | undefined {
    const place = this.#places.get(uid)
    return place?.assumed ? { node: place.node.name, until: place.until ?? Number.POSITIVE_INFINITY } : undefined
  }

  nodeChanged(change: Change<Node>): void {
    const name = change.object.metadata.name ?? ""
    const state = this.#stateOf(name)
    for (const image of state.images.keys()) count(this.#images, image, -1)
    state.set(change.type === "deleted" ? undefined : change.object, this.slots)
    for (const image of state.images.keys()) count(this.#images, image, 1)
    this.#listed = undefined
    this.#dropIfEmpty(state)
  }

  podChanged(change: Change<Pod>): void {
    const { object: pod } = change
    const uid = pod.metadata.uid ?? ""
    const before = this.#places.get(uid)
    this.#nominated.podChanged(change)
    if (change.type === "deleted" || isPodTerminal(pod)) return before?.assumed ? this.release(uid) : this.#leave(uid)
    const node = pod.spec?.nodeName
    if (!node) return isUnplaced(pod) ? undefined : this.release(uid)
    if (before !== undefined && before.node.name === node && countsTheSame(before.facts.pod, pod)) {
      if (before.assumed) this.#places.set(uid, { ...before, assumed: false })
      return
    }
    this.#leave(uid)
    this.#enter(podFacts(pod, this.slots), node, { assumed: false })
  }

  /** Until the cache shows the pod on a node, or gone; or until released. */
  assume(pod: PodFacts, node: string, until?: number): void {
    this.#leave(pod.uid)
    this.#enter(pod, node, { assumed: true, until })
  }

  release(uid: string): void {
    if (!this.#places.get(uid)?.assumed) return
    this.#leave(uid)
    this.#freed()
  }

  #enter(facts: PodFacts, name: string, how: Pick<Place, "assumed" | "until">): void {
    const node = this.#stateOf(name)
    this.#places.set(facts.uid, { facts, node, ...how })
    node.add(facts)
    this.#placed.add(facts, node)
  }

  #leave(uid: string): void {
    const place = this.#places.get(uid)
    if (place === undefined) return
    const { facts, node } = place
    this.#places.delete(uid)
    node.remove(facts)
    this.#placed.remove(facts, node)
    this.#dropIfEmpty(node)
  }

  #stateOf(name: string): NodeState {
    const known = this.#nodes.get(name)
    if (known !== undefined) return known
    const made = new NodeState(name)
    this.#nodes.set(name, made)
    return made
  }

  #dropIfEmpty(state: NodeState): void {
    if (state.isEmpty) this.#nodes.delete(state.name)
  }
}
