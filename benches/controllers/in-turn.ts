import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** One piece of work, asked for again and again. What it needs first is not measured. */
export interface Work {
  prepare(): Promise<void>
  run(): Promise<void>
}

/** Of the rounds of one piece of work, in milliseconds of CPU. */
export interface Times {
  /** Half of the rounds took less: neither the luckiest ones nor those that a full garbage collection or the machine disturbed decide. */
  readonly median: number
  /** Everything counts, full garbage collections and what disturbs the machine too. */
  readonly mean: number
  /** A quarter of the rounds took less: nearer to what the work takes on a machine that is quiet. */
  readonly lowerQuartile: number
}

/**
 * What each piece of work takes.
 * The pieces take turns, forwards and backwards, so that none always follows the same one; each begins with an empty young generation,
 * so that none pays for what another has left behind. The first rounds, in which the compiler still works, do not count.
 */
export async function timesInTurn(rounds: number, warmUp: number, works: readonly Work[]): Promise<readonly Times[]> {
  const emptyYoung = youngCollector()
  const taken: number[][] = works.map(() => [])
  for (let round = -warmUp; round < rounds; round++) {
    for (const at of inOrder(works.length, round)) {
      await works[at]!.prepare()
      emptyYoung()
      const before = process.cpuUsage()
      await works[at]!.run()
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) taken[at]!.push((user + system) / 1000)
    }
  }
  return taken.map(summary)
}

function inOrder(count: number, round: number): readonly number[] {
  const forwards = Array.from({ length: count }, (_, at) => at)
  return round % 2 === 0 ? forwards : forwards.reverse()
}

function summary(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b)
  const below = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { median: below(1 / 2), mean: times.reduce((sum, one) => sum + one, 0) / times.length, lowerQuartile: below(1 / 4) }
}

function youngCollector(): () => void {
  setFlagsFromString("--expose-gc")
  const collect: (options: { type: "minor" }) => void = runInNewContext("gc")
  return () => collect({ type: "minor" })
}
