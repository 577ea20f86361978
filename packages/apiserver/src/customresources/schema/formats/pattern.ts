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

/** Compiled patterns by their sources. Invariant: their steps together are at most `rememberedSteps`. */
const remembered = { patterns: new Map<string, Pattern | string>(), steps: 0 }
const rememberedSteps = 400_000

/** Returns a pattern of Go's regular expressions, or what is wrong with it. The library must have been loaded. */
export function compilePattern(source: string): Pattern | string {
  const known = remembered.patterns.get(source)
  if (known !== undefined) return known
  const compiled = compile(source)
  const steps = stepsOf(source)
  if (remembered.steps + steps > rememberedSteps) {
    remembered.patterns.clear()
    remembered.steps = 0
  }
  if (steps > rememberedSteps) return compiled
  remembered.patterns.set(source, compiled)
  remembered.steps += steps
  return compiled
}

function compile(source: string): Pattern | string {
  const { engine } = library
  if (engine === undefined)
    throw new Error("expected the library of regular expressions to be loaded, found it is not; await loadPatterns first")
  try {
    return engine.compile(source)
  } catch (error) {
    return messageOf(error)
  }
}

/** Go refuses patterns that repeat a part more often. */
const maxRepeats = 1000

/** Returns about how many steps a pattern is compiled to: `a{63}` is 63 of them, and repeats of a group multiply what is repeated in it. */
export function stepsOf(source: string): number {
  const repeats = Array.from(source.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g), ([, min, max]) => Number(max || min) || 1)
  const nested = source.includes("){") ? repeats.reduce((product, count) => Math.min(maxRepeats, product * count), 1) : 0
  return source.length + repeats.reduce((sum, count) => sum + Math.min(maxRepeats, count), nested)
}
