import type { Library } from "../environment/environment.ts"
import { comparisons } from "./comparisons.ts"
import { conversions } from "./conversions.ts"
import { operators } from "./operators.ts"
import { matchOverloads, type RegexCompiler, textOverloads } from "./texts.ts"
import { timeOverloads } from "./times.ts"

/** Returns the operators and functions of the language itself; `matches` only with a compiler of patterns. */
export function standardLibrary(compileRegex?: RegexCompiler): Library {
  const matches = compileRegex ? matchOverloads(compileRegex) : []
  return { name: "stdlib", overloads: [...operators, ...comparisons, ...conversions, ...textOverloads, ...matches, ...timeOverloads] }
}
