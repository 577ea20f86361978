import { Environment, type Library } from "../../environment/environment.ts"
import { listsLibrary } from "../../extensions/lists.ts"
import { optionalsLibrary } from "../../extensions/optionals.ts"
import { setsLibrary } from "../../extensions/sets.ts"
import { stringsLibrary } from "../../extensions/strings.ts"
import { twoVariableComprehensions } from "../../extensions/two-variable-comprehensions.ts"
import { standardLibrary } from "../../overloads/standard-library.ts"
import { parseDuration } from "../../values/duration.ts"
import { parseTimestamp, Timestamp } from "../../values/timestamp.ts"
import { EvaluationError, type Value } from "../../values/value.ts"
import { withKubernetesCosts } from "../libraries/costs.ts"
import { kubernetesLibraries } from "../libraries/libraries.ts"
import { patternCompiler } from "../libraries/regular-expressions.ts"

/** What one evaluation may cost. */
export const callCostLimit = 1_000_000

/** What all rules of one object may cost. */
export const objectCostLimit = 10_000_000

/**
 * Returns the environment of Kubernetes 1.36: cel-go's extensions and Kubernetes' libraries, patterns of RE2,
 * literals of one type, map keys of any, `has()` without cost and constants computed once. Other libraries are added to it.
 */
export function kubernetesEnvironment(...others: readonly Library[]): Environment {
  const compilePattern = patternCompiler()
  const isValid = (parse: (text: string) => unknown, other: (value: Value) => unknown) => (value: Value) =>
    succeeds(() => (typeof value === "string" ? parse(value) : other(value)))
  return new Environment({
    libraries: [
      withKubernetesCosts(standardLibrary(compilePattern)),
      withKubernetesCosts(stringsLibrary),
      setsLibrary,
      listsLibrary,
      optionalsLibrary,
      twoVariableComprehensions,
      ...kubernetesLibraries(compilePattern),
      ...others,
    ],
    homogeneousLiterals: true,
    anyMapKeys: true,
    errorOnBadPresenceTest: false,
    presenceTestCost: false,
    foldConstants: true,
    literalChecks: [
      { function: "duration", isValid: isValid(parseDuration, () => undefined) },
      { function: "timestamp", isValid: isValid(parseTimestamp, (value) => Timestamp.of(Number(value), 0)) },
      { function: "matches", isValid: isValid(compilePattern, () => true) },
    ],
  })
}

/** Reports whether a parser returns something and does not fail. */
function succeeds(parse: () => unknown): boolean {
  try {
    return parse() !== undefined
  } catch (error) {
    if (error instanceof EvaluationError) return false
    throw error
  }
}
