import type { Row } from "../bench.ts"
import type { RunningServer } from "./server.ts"
import type { Side } from "./sides.ts"

/** Both servers, up at the same time: an idle one takes nothing from the other. */
export type Pair = Readonly<Record<Side, RunningServer>>

export type Numbers = Readonly<Record<Side, number>>

const sides = ["ours", "theirs"] as const

/** Measures both several times, taken in turn, so that a machine that is busy for a while disturbs both. */
export async function inTurn(rounds: number, measure: (side: Side, round: number) => Promise<number>): Promise<Record<Side, number[]>> {
  const found: Record<Side, number[]> = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) found[side].push(await measure(side, round))
  }
  return found
}

export function best(found: Record<Side, number[]>): Numbers {
  return { ours: Math.max(...found.ours), theirs: Math.max(...found.theirs) }
}

export function least(found: Record<Side, number[]>): Numbers {
  return { ours: Math.min(...found.ours), theirs: Math.min(...found.theirs) }
}

export function medians(found: Record<Side, number[]>): Numbers {
  return { ours: quantile(found.ours, 0.5), theirs: quantile(found.theirs, 0.5) }
}

export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** A row whose goal is a ratio: at most so many times theirs. */
export function atMost(goal: number, what: string, unit: string, numbers: Numbers): Row {
  const ratio = numbers.ours / numbers.theirs
  return { what, ...numbers, unit, ratio, goal: `≤ ${goal} ×`, met: ratio <= goal }
}

export function withoutGoal(what: string, unit: string, numbers: Numbers): Row {
  return { what, ...numbers, unit, ratio: numbers.ours / numbers.theirs }
}
