import type { Library } from "../environment/environment.ts"
import { fail } from "../values/value.ts"
import { comparisons } from "./comparisons.ts"
import { conversions } from "./conversions.ts"
import { operators } from "./operators.ts"
import { matchOverloads, type RegexCompiler, textOverloads } from "./texts.ts"
import { timeOverloads } from "./times.ts"

/**
 * Compiles patterns as JavaScript has them. It has no protection against patterns that take exponential time,
 * and its syntax differs from RE2's; environments for patterns of strangers pass a compiler of their own.
 */
const compileRegExp: RegexCompiler = (pattern) => {
  try {
    return new RegExp(pattern, "u")
  } catch (error) {
    if (error instanceof SyntaxError) return fail(`error parsing regexp: ${error.message}`)
    throw error
  }
}

/** Returns the operators and functions of the language itself. */
export function standardLibrary(compileRegex: RegexCompiler = compileRegExp): Library {
  return {
    name: "stdlib",
    overloads: [...operators, ...comparisons, ...conversions, ...textOverloads, ...matchOverloads(compileRegex), ...timeOverloads],
  }
}
