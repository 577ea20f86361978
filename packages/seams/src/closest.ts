/** The word that was probably meant: one slip away, or two of a long one, and nearer than any other. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const allowed = word.length < 2 ? 0 : word.length < 6 ? 1 : 2
  const [best] = known
    .map((candidate) => ({ candidate, slips: slips(word, candidate) }))
    .filter((one) => one.slips <= allowed)
    // Few slip at the first letter: "fsh" is rather fish than zsh.
    .sort((a, b) => a.slips - b.slips || Number(b.candidate[0] === word[0]) - Number(a.candidate[0] === word[0]))
  return best?.candidate
}

/** Letters that are missing, too many, wrong, or changed places with their neighbour: Damerau's distance, row by row. */
function slips(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const plain = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(isSwapped ? Math.min(plain, before[j - 2]! + 1) : plain)
    }
    before = row
    row = next
  }
  return row[b.length]!
}
