import { RE2JS, RE2JSException } from "re2js"
import { fail } from "../../values/value.ts"

/** A compiled pattern in RE2's syntax, which matches in linear time. */
export interface Pattern {
  test(text: string): boolean
  /** Returns the first `limit` matches; all of them for a negative limit. */
  find(text: string, limit: number): string[]
}

/** How many patterns an environment keeps compiled: rules repeat a few constants. */
const maxPatterns = 256

/** Returns a compiler of patterns that remembers the last ones it compiled. */
export function patternCompiler(): (pattern: string) => Pattern {
  const compiled = new Map<string, Pattern>()
  return (pattern) => {
    const known = compiled.get(pattern)
    if (known) return known
    const fresh = compilePattern(pattern)
    if (compiled.size >= maxPatterns) compiled.clear()
    compiled.set(pattern, fresh)
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
      while (found.length !== limit && matcher.find()) found.push(matcher.group() ?? "")
      return found
    },
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
