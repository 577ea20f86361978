const [runesOfAll, runesOfEach] = [4096, 256]

/**
 * The header of an answer's warnings. Clients refuse an answer whose headers are too long, though what they asked for was done: where all warnings
 * together are too long, each is cut, and the last ones are left out, by upstream's measure.
 */
export function warningHeader(texts: Iterable<string>): string {
  return fitting([...texts])
    .map(warningText)
    .join(", ")
}

function fitting(texts: readonly string[]): readonly string[] {
  let runes = 0
  if (texts.every((text) => (runes += lengthOf(text)) <= runesOfAll)) return texts
  const said: string[] = []
  runes = 0
  for (const text of texts) {
    if (runes >= runesOfAll) break
    const cut = firstRunes(text, runesOfEach).join("")
    runes += lengthOf(cut)
    said.push(cut)
  }
  return said
}

/** No more is counted than there may be. */
function lengthOf(text: string): number {
  return firstRunes(text, runesOfAll + 1).length
}

/** A rune has two characters at most. */
function firstRunes(text: string, count: number): readonly string[] {
  return Array.from(text.slice(0, 2 * count)).slice(0, count)
}

/** RFC 9110's form of a warning: kubectl prints the text between the quotes. */
function warningText(text: string): string {
  return `299 - "${text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll(/\s+/g, (space) => (space.includes("\n") ? " " : space))}"`
}
