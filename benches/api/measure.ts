import type { Row } from "../bench.ts"

// Many short rounds: on a busy machine some of them are still left alone.
const rounds = 200
const roundMilliseconds = 3
const warmMilliseconds = 300

export interface Comparison {
  readonly what: string
  readonly ours: () => unknown
  readonly theirs?: () => unknown
}

/** Microseconds of one call: the best of several rounds, ours and theirs in turn, so that a busy machine slows both. */
export function microseconds({ what, ours, theirs }: Comparison): Row {
  const [calls, theirCalls] = [callsPerRound(ours), theirs === undefined ? 0 : callsPerRound(theirs)]
  let [best, theirBest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round++) {
    best = Math.min(best, timeOf(ours, calls))
    if (theirs !== undefined) theirBest = Math.min(theirBest, timeOf(theirs, theirCalls))
  }
  return theirs === undefined ? { what, ours: best, unit: "µs" } : { what, ours: best, theirs: theirBest, unit: "µs" }
}

/** As many calls as a round takes, once the code is warm. */
function callsPerRound(work: () => unknown): number {
  const start = performance.now()
  let fastest = Number.POSITIVE_INFINITY
  while (performance.now() - start < warmMilliseconds) fastest = Math.min(fastest, timeOf(work, 10))
  return Math.max(1, Math.round((roundMilliseconds * 1000) / fastest))
}

function timeOf(work: () => unknown, calls: number): number {
  const start = performance.now()
  let kept: unknown
  for (let call = 0; call < calls; call++) kept = work()
  const end = performance.now()
  keep(kept)
  return ((end - start) * 1000) / calls
}

let last: unknown

/** So that no result is unused, and no call can be left out for that. */
function keep(value: unknown): void {
  if (value === last) last = undefined
  else last = value
}
