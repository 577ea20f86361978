import { type Clock, messageOf } from "@pilothouse/seams"
import type { RE2JS } from "re2js"

/** A pattern that texts are searched with. */
export interface Pattern {
  /** Whether the pattern matches anywhere in a text, in time that is linear in the text. */
  test(text: string): boolean
}

/** The library for Go's regular expressions: a quarter of a megabyte, which is loaded for the first schema that has a pattern. */
const library: { engine?: typeof RE2JS } = {}

/** Loads what `compilePattern` needs; undefined where it is there already. */
export function loadPatterns(clock: Clock): Promise<void> | undefined {
  return library.engine === undefined ? load(clock) : undefined
}

async function load(clock: Clock): Promise<void> {
  const { RE2JS: engine } = await clock.external(import("re2js"), "loading the library of regular expressions")
  library.engine = engine
}

/** Returns a pattern of Go's regular expressions, or what is wrong with it. The library must have been loaded. */
export function compilePattern(source: string): Pattern | string {
  const { engine } = library
  if (engine === undefined)
    throw new Error("expected the library of regular expressions to be loaded, found it is not; await loadPatterns first")
  try {
    return engine.compile(source)
  } catch (error) {
    return messageOf(error)
  }
}
