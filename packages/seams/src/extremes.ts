/** Math.min of as many numbers as there are: as arguments, from some 120,000 on they overflow the stack. Infinity of none. */
export function smallestOf(numbers: Iterable<number>): number {
  let smallest = Number.POSITIVE_INFINITY
  for (const number of numbers) smallest = Math.min(smallest, number)
  return smallest
}

/** Math.max of as many numbers as there are. -Infinity of none. */
export function largestOf(numbers: Iterable<number>): number {
  let largest = Number.NEGATIVE_INFINITY
  for (const number of numbers) largest = Math.max(largest, number)
  return largest
}
