/** The letters Kubernetes names things with: no vowels, so no words. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789"

/**
 * Returns a short name for a pod template, the value of pod-template-hash (upstream's ComputeHash). Private to the controller that writes it:
 * equality of templates decides, never equality of hashes. The collision count makes another name out of the same template when the first is taken.
 */
export function templateHash(template: unknown, collisionCount = 0): string {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(`${stableText(template)}/${collisionCount}`)) value = Math.imul(value ^ byte, 0x01000193)
  return safeLetters(String(value >>> 0))
}

/** Letters that spell no word, one for each character. */
export function safeLetters(text: string): string {
  return [...text].map((character) => alphabet[character.charCodeAt(0) % alphabet.length]).join("")
}

/** JSON with sorted keys: the same value gives the same text whatever order it was written in. */
function stableText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "bigint") return String(part)
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
