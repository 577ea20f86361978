import { type AdmissionDeclarations, type AdmissionEnvironment, resultTypes } from "./admission-environment.ts"
import { type AdmissionEvaluation, AdmissionExpressions, type AdmissionInputs } from "./admission-expressions.ts"
import { withDecisions } from "./authorizations.ts"

/** What all match conditions of one hook or binding may cost. */
export const matchConditionsCostLimit = 2_500_000

/** One entry of `matchConditions`. */
export interface MatchCondition {
  readonly name: string
  readonly expression: string
}

/** Whether a request matches. After an error the failure policy decides: the request is refused with the message, or does not match. */
export type MatchOutcome =
  | { readonly kind: "matches" }
  | { readonly kind: "excluded"; readonly condition: string; readonly errors: number }
  | { readonly kind: "error"; readonly message: string; readonly errors: number; readonly isOutOfBudget: boolean }

/** The match conditions of one webhook or policy: compiled once, evaluated for each request. */
export class MatchConditions {
  private readonly conditions: readonly MatchCondition[]
  private readonly expressions: AdmissionExpressions

  constructor(conditions: readonly MatchCondition[], declarations: AdmissionDeclarations, environment?: AdmissionEnvironment) {
    this.conditions = conditions
    const sources = conditions.map(({ expression }) => ({ expression, returns: resultTypes.condition }))
    this.expressions = new AdmissionExpressions(sources, declarations, environment)
  }

  /** Why conditions do not compile, by their index: `compilation failed: …`, `must evaluate to bool but got …`. */
  get errors(): readonly (string | undefined)[] {
    return this.expressions.errors
  }

  /** Evaluates all conditions. Returns a promise only where an authorizer does. */
  match(inputs: AdmissionInputs): MatchOutcome | Promise<MatchOutcome> {
    return withDecisions(() => this.matchNow(inputs))
  }

  /** The same inside of `withDecisions`, which runs it again where an authorizer answers later. */
  matchNow(inputs: AdmissionInputs): MatchOutcome {
    return this.outcomeOf(this.expressions.evaluateNow(inputs, matchConditionsCostLimit))
  }

  /** A condition that is false excludes the request, whatever went wrong in others before it. */
  private outcomeOf(evaluation: AdmissionEvaluation): MatchOutcome {
    if (evaluation.kind === "outOfBudget") return { kind: "error", message: evaluation.message, errors: 0, isOutOfBudget: true }
    const errors: string[] = []
    for (const [index, result] of evaluation.results.entries()) {
      if (result.kind === "error") errors.push(result.message)
      if (result.kind === "value" && result.value === false) {
        return { kind: "excluded", condition: this.conditions[index]?.name ?? "", errors: errors.length }
      }
    }
    return errors.length === 0
      ? { kind: "matches" }
      : { kind: "error", message: aggregated(errors), errors: errors.length, isOutOfBudget: false }
  }
}

/** Joins errors as upstream's aggregate does: one stands alone, several different ones in brackets. */
export function aggregated(errors: readonly string[]): string {
  const different = [...new Set(errors)]
  return different.length === 1 ? (different[0] as string) : `[${different.join(", ")}]`
}
