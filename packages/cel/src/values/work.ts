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
