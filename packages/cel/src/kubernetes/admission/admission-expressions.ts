import type { Activation } from "../../program.ts"
import type { Type } from "../../types/types.ts"
import type { Value } from "../../values/value.ts"
import { callCostLimit } from "../environment/kubernetes-environment.ts"
import { type AdmissionDeclarations, AdmissionEnvironment, type CompiledExpression, type VariablesCost } from "./admission-environment.ts"
import { type RequestAuthorizations, withDecisions } from "./authorizations.ts"

/** What expressions read: JSON as the request has it. */
export interface AdmissionInputs {
  readonly object?: object | null | undefined
  readonly oldObject?: object | null | undefined
  /** The AdmissionRequest without object and oldObject; empty texts are left out, as its JSON has it. */
  readonly request: object
  readonly params?: object | null | undefined
  readonly namespaceObject?: object | null | undefined
  readonly authorizations?: RequestAuthorizations | undefined
}

/** An expression and the types that its result may have; undefined accepts all. */
export interface AdmissionExpression {
  readonly expression: string
  readonly returns?: readonly Type[]
}

/** What one expression came to; `none` stands where the list has no expression. */
export type ExpressionResult =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "error"; readonly message: string; readonly cause: "compilation" | "evaluation" }
  | { readonly kind: "none" }

/** What a list of expressions came to. */
export type AdmissionEvaluation =
  | { readonly kind: "results"; readonly results: readonly ExpressionResult[]; readonly remainingBudget: number }
  | { readonly kind: "outOfBudget"; readonly message: string }

const outOfBudget: AdmissionEvaluation = {
  kind: "outOfBudget",
  message: "validation failed due to running out of cost budget, no further validation rules will be run",
}

/** Expressions that are compiled once and evaluated together for each request: they share variables and a budget. */
export class AdmissionExpressions {
  private readonly sources: readonly (AdmissionExpression | undefined)[]
  private readonly compiled: readonly (CompiledExpression | undefined)[]
  private readonly environment: AdmissionEnvironment

  constructor(
    sources: readonly (AdmissionExpression | undefined)[],
    declarations: AdmissionDeclarations,
    environment = new AdmissionEnvironment(),
  ) {
    this.sources = sources
    this.environment = environment
    this.compiled = sources.map((source) => source && environment.compile(source.expression, declarations, source.returns))
  }

  /** Why expressions do not compile, by their index. */
  get errors(): readonly (string | undefined)[] {
    return this.compiled.map((compiled) => (compiled && "error" in compiled ? compiled.error : undefined))
  }

  /** Computes all expressions in order. Returns a promise only where an authorizer does. */
  evaluate(inputs: AdmissionInputs, budget: number): AdmissionEvaluation | Promise<AdmissionEvaluation> {
    return withDecisions(() => this.evaluateNow(inputs, budget))
  }

  /** The same inside of `withDecisions`, which runs it again where an authorizer answers later. */
  evaluateNow(inputs: AdmissionInputs, budget: number): AdmissionEvaluation {
    const cost: VariablesCost = { spent: 0 }
    const activation = activationOf(inputs, (whole) => this.environment.lazyVariables(whole, cost))
    const results: ExpressionResult[] = []
    let remainingBudget = budget
    for (const [index, compiled] of this.compiled.entries()) {
      if (compiled === undefined) results.push({ kind: "none" })
      else if ("error" in compiled) results.push({ kind: "error", message: `compilation error: ${compiled.error}`, cause: "compilation" })
      else {
        cost.spent = 0
        const evaluation = compiled.evaluate(activation, { costLimit: callCostLimit })
        remainingBudget -= cost.spent + evaluation.cost
        if (remainingBudget < 0) return outOfBudget
        results.push(evaluation.kind === "value" ? evaluation : failed(this.sources[index], evaluation.message))
      }
    }
    return { kind: "results", results, remainingBudget }
  }
}

function failed(source: AdmissionExpression | undefined, message: string): ExpressionResult {
  return { kind: "error", message: `expression '${source?.expression}' resulted in error: ${message}`, cause: "evaluation" }
}

/** An object that is absent is null; an authorizer that is absent is an error where it is read. Variables read what expressions read. */
function activationOf(
  { object, oldObject, request, params, namespaceObject, authorizations }: AdmissionInputs,
  variablesOf: (activation: Activation) => Value,
): Activation {
  const activation = {
    object: object ?? null,
    oldObject: oldObject ?? null,
    request,
    params: params ?? null,
    namespaceObject: namespaceObject ?? null,
    ...(authorizations && { authorizer: authorizations.authorizer, "authorizer.requestResource": authorizations.requestResource }),
  } as Record<string, Value>
  activation["variables"] = variablesOf(activation)
  return activation
}
