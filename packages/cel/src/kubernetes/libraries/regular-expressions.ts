import { RE2JS, RE2JSException } from "re2js"
import { fail } from "../../values/value.ts"
import { countWork } from "../../values/work.ts"

/** A compiled pattern in RE2's syntax, which matches in linear time. */
export interface Pattern {
  readonly test: (text: string) => boolean
  /** Returns the first `limit` matches; all of them for a negative limit. */
  readonly find: (text: string, limit: number) => string[]
  /** How many instructions it has: repetitions are written out. */
  readonly size: number
}

/** How many instructions the patterns have together that are kept compiled: those of data may be large. */
const maxKeptSize = 100_000

/** Units for each match that is found: an empty pattern costs nothing and matches everywhere. */
const workOfMatch = 3

/** Returns a compiler of patterns that remembers the last ones it compiled. */
export function patternCompiler(): (pattern: string) => Pattern {
  const kept = new Map<string, Pattern>()
  let keptSize = 0
  return (pattern) => {
    const known = kept.get(pattern)
    if (known) return known
    const fresh = compilePattern(pattern)
    kept.set(pattern, fresh)
    keptSize += fresh.size
    for (const [oldest, { size }] of kept) {
      if (keptSize <= maxKeptSize) break
      kept.delete(oldest)
      keptSize -= size
    }
    return fresh
  }
}

function compilePattern(pattern: string): Pattern {
  const expression = parsePattern(pattern)
  return {
    test: (text) => expression.matcher(text).find(),
    find(text, limit) {
      const matcher = expression.matcher(text)
      const found: string[] = []
      while (found.length !== limit && matcher.find()) {
        countWork(workOfMatch)
        found.push(matcher.group() ?? "")
      }
      return found
    },
    size: expression.programSize(),
  }
}

function parsePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (error instanceof RE2JSException) return fail(error.message)
    throw error
  }
}
