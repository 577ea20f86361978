/** Counts what an evaluation does beyond what its cost shows. */
export interface Work {
  /** Items, or tens of characters, that are copied or walked over. */
  count(units: number): void
  /** Ends the evaluation if its cost would be over the limit with these units more, which are charged later. */
  foresee(units: number): void
}

/** The evaluation under way: evaluations are synchronous, and one that another needs is over before that goes on. */
let current: Work | undefined

/** Runs an evaluation whose work counts there. */
export function withWork<T>(work: Work, run: () => T): T {
  const before = current
  current = work
  try {
    return run()
  } finally {
    current = before
  }
}

/** Called before the work is done. */
export function countWork(units: number): void {
  current?.count(units)
}

/** For a call whose cost is known before its work is done, and whose work is more than linear. */
export function foreseeCost(units: number): void {
  current?.foresee(units)
}

/** A text of this many characters is about to be made. */
export function countText(length: number): void {
  countWork(Math.ceil(length / 10))
}

/** How many characters are read in the time of one unit of work. */
const readingFactor = 400

/** For a call that costs one unit, and reads a text of this many characters, whatever its length is. Short texts are not worth counting. */
export function countReading(length: number): void {
  if (length >= readingFactor) countWork(Math.trunc(length / readingFactor))
}

/** The longest text of a number, a time or a URL whose parsing is not worth counting. */
const shortText = 100

/** The same for a call that parses its text, which takes as long as many characters that are only read. */
export function countParsing(length: number): void {
  if (length > shortText) countText(length)
}

/** How many steps of matching take the time of one unit of work: a step is an instruction of the pattern at a character of the text. */
const matchingFactor = 60

/** For a call that matches a text with a pattern of this many instructions, and costs so many units. What it takes within them is not counted again. */
export function countMatching(length: number, instructions: number, cost: () => number): void {
  const units = Math.trunc((length * instructions) / matchingFactor)
  if (units > 0) countWork(Math.max(0, units - cost()))
}

/** What a function came to. */
type Outcome<T> = { readonly kind: "value"; readonly value: T } | { readonly kind: "error"; readonly error: unknown }

/** Returns a function that computes its result once for each value of an evaluation, within which values do not change. A value that makes it fail does so at once again. */
export function oncePerEvaluation<T, R>(compute: (value: T) => R): (value: T) => R {
  const kept = new WeakMap<Work, Map<T, Outcome<R>>>()
  return (value) => {
    if (current === undefined) return compute(value)
    const outcomes = kept.get(current) ?? new Map<T, Outcome<R>>()
    if (outcomes.size === 0) kept.set(current, outcomes)
    const known = outcomes.get(value)
    const outcome = known ?? outcomeOf(() => compute(value))
    if (!known) outcomes.set(value, outcome)
    if (outcome.kind === "error") throw outcome.error
    return outcome.value
  }
}

function outcomeOf<R>(compute: () => R): Outcome<R> {
  try {
    return { kind: "value", value: compute() }
  } catch (error) {
    return { kind: "error", error }
  }
}

/** The same for texts; reading a short one again takes less than looking for it. */
export function longTextsOncePerEvaluation<R>(compute: (text: string) => R): (text: string) => R {
  const once = oncePerEvaluation(compute)
  return (text) => (text.length > shortText ? once(text) : compute(text))
}
