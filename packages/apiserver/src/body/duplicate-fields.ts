import { findingLimit } from "./body-limit.ts"
import { fieldPath, itemPath } from "./field-path.ts"

/** A field that is there more than once, or that no schema knows. */
export interface OddField {
  /** Such as "metadata.name" or "spec.containers[0].image". */
  readonly path: string
  readonly known: boolean
}

/**
 * The fields that a JSON text has more than once, among those that no schema knows, in the order of the text; JSON.parse keeps the last
 * without an error. Unknown fields are not descended into. The text has been parsed before: it is well-formed.
 */
export function duplicateFields(text: string, unknown: ReadonlySet<string> = new Set()): readonly OddField[] {
  const walk: Walk = { open: [], found: new Map(), unknown }
  // Strings, and the characters that open, close and separate; the rest of a well-formed text is numbers, words and space. Sticky: one pass.
  for (const [, token] of text.matchAll(/[^"{}[\],:]*("(?:[^"\\]|\\.)*"|[{}[\],:])/gsy)) step(token!, walk)
  return [...walk.found.values()]
}

interface Walk {
  readonly open: Level[]
  /** Each once, by its path; no more than are ever shown. */
  readonly found: Map<string, OddField>
  readonly unknown: ReadonlySet<string>
}

/** An object or a list that is not closed yet. */
interface Level {
  readonly path: string
  /** In what no schema knows. */
  readonly hidden: boolean
  /** Left out for a list. */
  readonly seen?: Set<string>
  index: number
  key: string
  /** Whether the next string is a key. */
  atKey: boolean
}

function step(token: string, walk: Walk): void {
  const level = walk.open.at(-1)
  if (token === "{" || token === "[") walk.open.push(levelIn(level, token === "{", walk))
  else if (token === "}" || token === "]") walk.open.pop()
  else if (level === undefined) return
  else if (token === ",") {
    level.index++
    level.atKey = level.seen !== undefined
  } else if (token !== ":" && level.atKey) takeKey(level, JSON.parse(token), walk)
}

function levelIn(level: Level | undefined, isObject: boolean, { unknown }: Walk): Level {
  const path = level === undefined ? "" : pathIn(level)
  const hidden = level !== undefined && (level.hidden || unknown.has(path))
  return { path, hidden, ...(isObject && { seen: new Set<string>() }), index: 0, key: "", atKey: isObject }
}

function takeKey(level: Level, key: string, { found, unknown }: Walk): void {
  level.key = key
  level.atKey = false
  const twice = level.seen?.has(key) === true
  level.seen?.add(key)
  if (level.hidden || found.size >= findingLimit) return
  const path = pathIn(level)
  const known = !unknown.has(path)
  if ((known ? twice : !twice) && !found.has(path)) found.set(path, { path, known })
}

function pathIn({ path, seen, index, key }: Level): string {
  return seen === undefined ? itemPath(path, index) : fieldPath(path, key)
}
