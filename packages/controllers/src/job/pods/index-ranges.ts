/** Ranges of indexes as in status.completedIndexes: "1,3-5,7". Ascending and never adjacent. */
export type Ranges = readonly Range[]

interface Range {
  readonly first: number
  readonly last: number
}

/** Ignores parts that are not ranges and indexes beyond the completions: a Job can be scaled down. */
export function parseRanges(text: string | undefined, completions: number): Ranges {
  const found: Range[] = []
  for (const part of text ? text.split(",") : []) {
    const dash = part.indexOf("-")
    const first = wholeNumber(dash < 0 ? part : part.slice(0, dash))
    if (first === undefined) continue
    if (first >= completions) break
    const last = dash < 0 ? first : wholeNumber(part.slice(dash + 1).split("-", 1)[0] ?? "")
    if (last !== undefined) found.push({ first, last: Math.min(last, completions - 1) })
  }
  return joined(found)
}

/** Two neighbours are written with a comma: "1,2" rather than "1-2". */
export function formatRanges(ranges: Ranges): string {
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`)).join(",")
}

export function rangesOf(indexes: Iterable<number>): Ranges {
  return joined([...new Set(indexes)].sort((a, b) => a - b).map((index) => ({ first: index, last: index })))
}

export function mergeRanges(...lists: readonly Ranges[]): Ranges {
  return joined(lists.flat().sort((a, b) => a.first - b.first))
}

export function countIndexes(ranges: Ranges): number {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
}

/** Returns the number of indexes that are in both. */
export function countCommon(one: Ranges, other: Ranges): number {
  let common = 0
  for (let a = 0, b = 0; a < one.length && b < other.length; ) {
    const [left, right] = [one[a]!, other[b]!]
    common += Math.max(0, Math.min(left.last, right.last) - Math.max(left.first, right.first) + 1)
    if (left.last <= right.last) a++
    else b++
  }
  return common
}

/** Searches binarily: a Job can have 100 000 indexes, and each of its pods is looked up. */
export function includesIndex(ranges: Ranges, index: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[middle]!.last >= index) high = middle
    else low = middle + 1
  }
  return low < ranges.length && ranges[low]!.first <= index
}

/** Returns the lowest indexes below the completions that are in none of the ranges. */
export function firstMissing(ranges: Ranges, count: number, completions: number): readonly number[] {
  const missing: number[] = []
  let next = 0
  for (const { first, last } of [...ranges, { first: completions, last: completions }]) {
    for (; next < Math.min(first, completions) && missing.length < count; next++) missing.push(next)
    next = Math.max(next, last + 1)
  }
  return missing
}

function joined(sorted: readonly Range[]): Ranges {
  const result: Range[] = []
  for (const range of sorted) {
    const previous = result.at(-1)
    if (previous === undefined || range.first > previous.last + 1) result.push(range)
    else result[result.length - 1] = { first: previous.first, last: Math.max(previous.last, range.last) }
  }
  return result
}

function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined
}
