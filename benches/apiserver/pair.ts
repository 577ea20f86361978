import type { Numbers } from "../beside.ts"
import type { RunningServer } from "./server.ts"
import type { Side } from "./sides.ts"

/** Both servers, up at the same time: an idle one takes nothing from the other. Without peers ours is alone. */
export interface Pair {
  readonly ours: RunningServer
  readonly theirs?: RunningServer
}

/** The sides that are measured. */
export function sidesOf(peers: boolean): readonly Side[] {
  return peers ? ["ours", "theirs"] : ["ours"]
}

export function sidesIn({ theirs }: Pair): readonly Side[] {
  return sidesOf(theirs !== undefined)
}

export function serversIn({ ours, theirs }: Pair): readonly RunningServer[] {
  return theirs === undefined ? [ours] : [ours, theirs]
}

/** Measures each side several times, taken in turn, so that a machine that is busy for a while disturbs both. */
export async function inTurn(
  sides: readonly Side[],
  rounds: number,
  measure: (side: Side, round: number) => Promise<number>,
): Promise<Record<Side, number[]>> {
  const found: Record<Side, number[]> = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) found[side].push(await measure(side, round))
  }
  return found
}

export function best(found: Record<Side, number[]>): Numbers {
  return ofEach(found, (values) => Math.max(...values))
}

export function min(found: Record<Side, number[]>): Numbers {
  return ofEach(found, (values) => Math.min(...values))
}

export function medians(found: Record<Side, number[]>): Numbers {
  return ofEach(found, (values) => quantile(values, 0.5))
}

function ofEach({ ours, theirs }: Record<Side, number[]>, one: (values: readonly number[]) => number): Numbers {
  return theirs.length === 0 ? { ours: one(ours) } : { ours: one(ours), theirs: one(theirs) }
}

export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
