import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** One piece of work, asked for again and again. */
export type Work = () => Promise<void>

/**
 * Milliseconds of CPU that each piece of work takes, of so many rounds the one that a quarter were below.
 * Not the least: that is the luckiest round, and of two pieces of work one is luckier than the other. Not the middle: half of the rounds of a busy machine are disturbed.
 *
 * The pieces take turns, forwards and backwards, so that none always follows the same one; each begins with an empty young generation,
 * so that none pays for what another has left behind. The first rounds, in which the compiler still works, do not count.
 */
export async function lowerQuartiles(rounds: number, warmUp: number, works: readonly Work[]): Promise<readonly number[]> {
  const emptyYoung = youngCollector()
  const taken: number[][] = works.map(() => [])
  for (let round = -warmUp; round < rounds; round++) {
    for (const at of inOrder(works.length, round)) {
      emptyYoung()
      const before = process.cpuUsage()
      await works[at]!()
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) taken[at]!.push((user + system) / 1000)
    }
  }
  return taken.map(lowerQuartile)
}

function inOrder(count: number, round: number): readonly number[] {
  const forwards = Array.from({ length: count }, (_, at) => at)
  return round % 2 === 0 ? forwards : forwards.reverse()
}

function lowerQuartile(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)] ?? Number.NaN
}

function youngCollector(): () => void {
  setFlagsFromString("--expose-gc")
  const collect: (options: { type: "minor" }) => void = runInNewContext("gc")
  return () => collect({ type: "minor" })
}
