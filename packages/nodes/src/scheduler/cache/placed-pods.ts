import { HostPorts } from "../pod/host-ports.ts"
import type { PodFacts } from "../pod/pod-facts.ts"
import { count } from "./count.ts"
import type { NodeState } from "./node-state.ts"
import { PodKinds } from "./pod-kinds.ts"

/**
 * What the pods on all nodes together come to: their kinds, who uses which claim, which priorities there are, and the ports of processes, which are
 * on one host whatever their node is.
 *
 * Invariant between calls: each is the sum over the pods that were added and not removed again.
 */
export class PlacedPods {
  readonly kinds = new PodKinds()
  readonly #claimUsers = new Map<string, number>()
  /** How many pods there are of each priority. */
  readonly #priorities = new Map<number, number>()
  readonly #processPorts = new HostPorts()

  get processPorts(): Pick<HostPorts, "areFree"> {
    return this.#processPorts
  }

  /** How many pods use the claim. */
  usersOf(claim: string): number {
    return this.#claimUsers.get(claim) ?? 0
  }

  /** Whether there are pods of lower priority. */
  hasBelow(priority: number): boolean {
    for (const known of this.#priorities.keys()) if (known < priority) return true
    return false
  }

  add(facts: PodFacts, node: NodeState): void {
    this.#processPorts.add(facts.processPorts)
    this.kinds.add(facts, node)
    this.#count(facts, 1)
  }

  remove(facts: PodFacts, node: NodeState): void {
    this.#processPorts.remove(facts.processPorts)
    this.kinds.remove(facts, node)
    this.#count(facts, -1)
  }

  #count({ priority, claims }: PodFacts, sign: 1 | -1): void {
    count(this.#priorities, priority, sign)
    for (const claim of claims) count(this.#claimUsers, claim, sign)
  }
}
