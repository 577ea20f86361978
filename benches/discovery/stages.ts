import { BenchCluster } from "./cluster.ts"
import type { Group } from "./objects.ts"

const servicesOf = (from: number, to: number, shape: Pick<Group, "endpoints" | "withoutPods">): readonly Group[] =>
  Array.from({ length: to - from }, (_, index) => ({ name: `svc-${from + index}`, first: (from + index) * 100, ...shape }))

/** What is measured on: the first two of a hundred Services with a hundred pods each, and one with a thousand. */
const wide = servicesOf(0, 100, { endpoints: 100 })
const many = servicesOf(100, 5_000, { endpoints: 2, withoutPods: true })
export const small = wide[0]!
export const neighbour = wide[1]!
export const big: Group = { name: "big", endpoints: 1_000, first: 600_000 }
export const few: readonly Group[] = wide.slice(2, 100)

/**
 * One cluster for all questions, which fills up from one to the next: each says what it needs to be there.
 *
 * Invariant: what is there is what the stages so far have added.
 */
export class Stages {
  #cluster: Promise<BenchCluster> | undefined
  readonly #added = new Set<Group>()

  /** Nodes and namespaces. */
  empty(): Promise<BenchCluster> {
    this.#cluster ??= BenchCluster.start()
    return this.#cluster
  }

  /** Two Services with 100 pods, and one with 1,000. */
  async watched(): Promise<BenchCluster> {
    return this.#with([small, neighbour, big])
  }

  /** 100 Services with 100 pods each, and nothing else. */
  async hundred(): Promise<BenchCluster> {
    const cluster = await this.#with(wide)
    if (this.#added.delete(big)) await cluster.remove(big)
    return cluster
  }

  async fiveThousand(): Promise<BenchCluster> {
    await this.hundred()
    return this.#with(many)
  }

  async close(): Promise<void> {
    const cluster = await this.#cluster
    await cluster?.[Symbol.asyncDispose]()
  }

  async #with(groups: readonly Group[]): Promise<BenchCluster> {
    const cluster = await this.empty()
    const missing = groups.filter((group) => !this.#added.has(group))
    await cluster.add(missing)
    for (const group of missing) this.#added.add(group)
    return cluster
  }
}
