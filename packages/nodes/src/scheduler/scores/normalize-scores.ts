/** The score of the best node, as upstream's MaxNodeScore. */
export const maxNodeScore = 100

/** The most becomes 100; with `reverse` the least is best. */
export function normalizeScores(counts: readonly number[], reverse = false): readonly number[] {
  const max = counts.reduce((highest, count) => Math.max(highest, count), 0)
  if (max === 0) return reverse ? counts.map(() => maxNodeScore) : counts
  return counts.map((count) => {
    const score = Math.trunc((maxNodeScore * count) / max)
    return reverse ? maxNodeScore - score : score
  })
}
