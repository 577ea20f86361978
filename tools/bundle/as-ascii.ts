import { parseSync } from "rolldown/utils"

/**
 * Where an escape is not the character: in String.raw it is six of them, after a backslash the backslash is what is escaped, and a line that ends
 * with one of the two separators would not end.
 */
const literal = /String\.raw`[^`]*[^\0-\x7f]|\\[^\0-\x7f]|[\u2028\u2029]/

/**
 * One character beyond Latin-1 makes V8 keep the whole text with two bytes for each. The same in escapes means the same nearly everywhere; a text
 * that has one elsewhere stays as it is.
 *
 * What it buys: 2.4 MB of an API server's 76 (benches/apiserver.ts, the row "memory after the start", goal ≤ 0.25 × upstream's; without it 0.26).
 */
export function asAscii(code: string): string {
  if (literal.test(code)) return code
  const escaped = code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return escaped === code || parseSync("chunk.js", escaped).errors.length === 0 ? escaped : code
}
