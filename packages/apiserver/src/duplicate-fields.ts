/**
 * The paths of fields that a JSON text has more than once, such as "metadata.name"; JSON.parse keeps the last and tells nobody.
 * The text has been parsed before: it is well-formed.
 */
export function duplicateFields(text: string): readonly string[] {
  const found: string[] = []
  const open: Level[] = []
  // Strings, and the characters that open, close and separate; the rest of a well-formed text is numbers, words and space.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/gs)) step(token, open, found)
  return found
}

/** An object or a list that is not closed yet. */
interface Level {
  readonly path: string
  /** Left out for a list. */
  readonly seen?: Set<string>
  index: number
  key: string
  /** Whether the next string is a key. */
  atKey: boolean
}

function step(token: string, open: Level[], found: string[]): void {
  const level = open.at(-1)
  if (token === "{" || token === "[") {
    const path = level === undefined ? "" : pathIn(level)
    open.push({ path, ...(token === "{" && { seen: new Set<string>() }), index: 0, key: "", atKey: token === "{" })
  } else if (token === "}" || token === "]") open.pop()
  else if (level === undefined) return
  else if (token === ",") {
    level.index++
    level.atKey = level.seen !== undefined
  } else if (token !== ":" && level.atKey) takeKey(level, JSON.parse(token), found)
}

function takeKey(level: Level, key: string, found: string[]): void {
  level.key = key
  level.atKey = false
  if (level.seen?.has(key)) found.push(pathIn(level))
  else level.seen?.add(key)
}

function pathIn({ path, seen, index, key }: Level): string {
  if (seen === undefined) return `${path}[${index}]`
  return path === "" ? key : `${path}.${key}`
}
