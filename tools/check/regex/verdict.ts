import { checkSync } from "recheck"

/** What the checker says about one expression. `unproven`: it ran out of time, or the expression uses something it does not analyse. */
export interface Verdict {
  readonly status: "linear" | "superlinear" | "unproven"
  /** "2nd degree polynomial", "exponential", or why nothing is proven. */
  readonly growth: string
  /** A text that shows the growth, as a JavaScript expression. */
  readonly attack: string
}

/** Milliseconds for one expression. Those of this project need less than one second each; one that needs more is too intricate. */
const timeout = 20_000

/**
 * Whether the time a backtracking engine needs grows linearly with the text, for a search from any place of it (so /\/+$/ is quadratic),
 * or from one place when the expression is sticky. The pure JavaScript build of the checker is used: no Java, no binaries.
 */
export function verdictOf(source: string, flags: string): Verdict {
  process.env.RECHECK_BACKEND = "pure"
  // The automaton proves; the fuzzer, which "auto" falls back to, can only fail to find an attack.
  const found = checkSync(source, flags, { checker: "automaton", timeout })
  if (found.status === "safe") return { status: "linear", growth: found.complexity.summary, attack: "" }
  if (found.status === "vulnerable") return { status: "superlinear", growth: found.complexity.summary, attack: found.attack.pattern }
  const { error } = found
  return { status: "unproven", growth: "message" in error ? `${error.kind}: ${error.message}` : error.kind, attack: "" }
}
