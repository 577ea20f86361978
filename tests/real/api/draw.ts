import type { SeededRandom } from "@pilothouse/seams"

/** Drawing test cases from a seeded source of numbers. */
export class Draw {
  readonly random: SeededRandom

  constructor(random: SeededRandom) {
    this.random = random
  }

  /** True in that share of the draws. */
  chance(share: number): boolean {
    return this.random.next() < share
  }

  /** From `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + this.random.int(high - low + 1)
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error("there is nothing to pick from")
    return list[this.random.int(list.length)] as T
  }

  shuffled<T>(list: readonly T[]): T[] {
    const result = [...list]
    for (let at = result.length - 1; at > 0; at--) {
      const other = this.random.int(at + 1)
      ;[result[at], result[other]] = [result[other] as T, result[at] as T]
    }
    return result
  }

  /** At most `max` different elements, in any order. */
  some<T>(list: readonly T[], max: number): T[] {
    return this.shuffled(list).slice(0, this.int(Math.min(1, list.length), Math.min(max, list.length)))
  }

  times<T>(low: number, high: number, make: () => T): T[] {
    return Array.from({ length: this.int(low, high) }, make)
  }
}
