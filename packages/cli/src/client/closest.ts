/** The word that somebody probably meant: at most two slips away, and nearer than any other. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, slips: slips(word, candidate) }))
    .filter((one) => one.slips <= Math.min(2, Math.floor(word.length / 2)))
    .sort((a, b) => a.slips - b.slips)
  return best?.candidate
}

/** Levenshtein's distance, row by row. */
function slips(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
