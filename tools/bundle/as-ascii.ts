import type MagicString from "magic-string"
import { parseSync } from "rolldown/utils"

/**
 * Where an escape is not the character: in String.raw it is six of them, after a backslash the backslash is what is escaped, and a line that ends
 * with one of the two separators would not end.
 */
const literal = /String\.raw`[^`]*[^\0-\x7f]|\\[^\0-\x7f]|[\u2028\u2029]/

const beyondAscii = /[^\0-\x7f]/g

/**
 * One character beyond Latin-1 makes V8 keep the whole text with two bytes for each. The same in escapes means the same nearly everywhere; a text
 * that has one elsewhere stays as it is.
 *
 * What it buys: 2.4 MB of an API server's 76 (benches/apiserver.ts, the row "memory after the start", goal ≤ 0.25 × upstream's; without it 0.26), and
 * of a test process 3 of the 22 MB that it has after its imports: it collects garbage later and less (benches/testing.ts).
 */
export function asAscii(code: string): string {
  if (literal.test(code)) return code
  const escaped = code.replace(beyondAscii, escapeOf)
  return escaped === code || parseSync("chunk.js", escaped).errors.length === 0 ? escaped : code
}

/** The same as edits, for a text that has a source map. */
export function editAsAscii(code: string, edited: Pick<MagicString, "update">): void {
  if (asAscii(code) === code) return
  for (const { index, 0: unit } of code.matchAll(beyondAscii)) edited.update(index, index + 1, escapeOf(unit))
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
}
