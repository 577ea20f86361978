import type { ValidatingAdmissionPolicy } from "@pilothouse/api/admissionregistration/v1"
import {
  AdmissionEnvironment,
  type AdmissionEvaluation,
  AdmissionExpressions,
  type AdmissionInputs,
  type ExpressionResult,
  MatchConditions,
  type MatchOutcome,
  objectCostLimit,
  resultTypes,
} from "@pilothouse/cel/kubernetes"
import type { PolicyErrorType } from "./policy-metrics.ts"

/** What one validation came to. `evaluation` says whether that is because of the request or because the expression failed. */
export interface PolicyDecision {
  readonly action: "admit" | "deny"
  readonly evaluation: "admit" | "deny" | "error"
  /** For metrics. */
  readonly errorType: PolicyErrorType
  readonly message: string
  readonly reason: string
}

/** What a policy says to one request with one param. */
export interface PolicyResult {
  /** One for each validation; a single one where the policy could not be evaluated. */
  readonly decisions: readonly PolicyDecision[]
  /** Why audit annotations could not be computed, where that refuses the request. */
  readonly annotationErrors: readonly Pick<PolicyDecision, "message" | "errorType">[]
  /** What the match conditions came to; undefined where there are none. */
  readonly matched: MatchOutcome | undefined
}

const nothing = { decisions: [], annotationErrors: [] } as const

/** A message of an expression that is longer is not used. */
const maxMessageBytes = 5 * 1024

/** A ValidatingAdmissionPolicy whose expressions are compiled once. */
export class CompiledValidatingPolicy {
  private readonly spec: NonNullable<ValidatingAdmissionPolicy["spec"]>
  private readonly conditions: MatchConditions | undefined
  private readonly validations: AdmissionExpressions
  private readonly messages: AdmissionExpressions | undefined
  private readonly annotations: AdmissionExpressions | undefined

  constructor({ spec = {} }: ValidatingAdmissionPolicy) {
    const { variables = [], matchConditions = [], validations = [], auditAnnotations = [] } = spec
    const declarations = { params: spec.paramKind !== undefined, authorizer: true }
    const environment = new AdmissionEnvironment("policy")
    for (const { name = "", expression = "" } of variables) environment.addVariable({ name, expression }, declarations)
    this.spec = spec
    this.conditions = matchConditions.length === 0 ? undefined : new MatchConditions(matchConditions, declarations, environment)
    const tests = validations.map(({ expression = "" }) => ({ expression, returns: resultTypes.condition }))
    this.validations = new AdmissionExpressions(tests, declarations, environment)
    const messages = validations.map(({ messageExpression = "" }) =>
      messageExpression === "" ? undefined : { expression: messageExpression, returns: resultTypes.message },
    )
    this.messages = messages.some((message) => message !== undefined)
      ? new AdmissionExpressions(messages, { ...declarations, authorizer: false }, environment)
      : undefined
    const values = auditAnnotations.map(({ valueExpression = "" }) => ({
      expression: valueExpression,
      returns: resultTypes.auditAnnotation,
    }))
    this.annotations = values.length === 0 ? undefined : new AdmissionExpressions(values, declarations, environment)
  }

  /** Evaluates the policy; runs inside of `withDecisions`. */
  validate(inputs: AdmissionInputs): PolicyResult {
    const matched = this.conditions?.matchNow({ ...inputs, namespaceObject: null })
    if (matched?.kind === "excluded") return { ...nothing, matched }
    if (matched?.kind === "error") return { ...nothing, decisions: this.fails ? [this.unmatched(matched)] : [], matched }
    return { ...this.evaluate(inputs), matched }
  }

  private evaluate(inputs: AdmissionInputs): Omit<PolicyResult, "matched"> {
    const evaluation = this.validations.evaluateNow(inputs, objectCostLimit)
    if (evaluation.kind === "outOfBudget") return this.outOfBudget(evaluation.message)
    const messages = this.messages?.evaluateNow({ ...inputs, authorizations: undefined }, evaluation.remainingBudget)
    const decisions = evaluation.results.map((result, index) => this.decision(result, index, messages))
    const annotations = this.annotations?.evaluateNow({ ...inputs, authorizations: undefined }, objectCostLimit)
    if (annotations?.kind === "outOfBudget") return this.outOfBudget(annotations.message)
    const failed = annotations?.results.flatMap((result) =>
      result.kind === "error" ? [this.failure(result.message, errorTypeOf(result))] : [],
    )
    return { decisions, annotationErrors: (this.fails && failed) || [] }
  }

  private outOfBudget(message: string): Omit<PolicyResult, "matched"> {
    return { ...nothing, decisions: [this.failure(message, "out_of_budget")] }
  }

  private unmatched({ message, isOutOfBudget }: Extract<MatchOutcome, { readonly kind: "error" }>): PolicyDecision {
    return this.failure(message, isOutOfBudget ? "out_of_budget" : "invalid_error")
  }

  private get fails(): boolean {
    return this.spec.failurePolicy !== "Ignore"
  }

  /** What an expression that cannot be computed decides, by the failurePolicy. */
  private failure(message: string, errorType: PolicyErrorType): PolicyDecision {
    return { action: this.fails ? "deny" : "admit", evaluation: "error", message, reason: "", errorType }
  }

  private decision(result: ExpressionResult, index: number, messages: AdmissionEvaluation | undefined): PolicyDecision {
    if (result.kind === "error") return this.failure(result.message, errorTypeOf(result))
    if (messages?.kind === "outOfBudget") return this.failure(`failed messageExpression: ${messages.message}`, "invalid_error")
    if (result.kind === "value" && result.value === true) return admitted
    const { message = "", expression = "", reason = "Invalid" } = this.spec.validations?.[index] ?? {}
    const text = messageOf(messages?.results[index]) || message.trim() || `failed expression: ${expression.trim()}`
    return { action: "deny", evaluation: "deny", message: text, reason, errorType: "invalid_error" }
  }
}

const admitted: PolicyDecision = { action: "admit", evaluation: "admit", message: "", reason: "", errorType: "no_error" }

function errorTypeOf({ cause }: Extract<ExpressionResult, { readonly kind: "error" }>): PolicyErrorType {
  return cause === "compilation" ? "compile_error" : "invalid_error"
}

/** Returns the message of an expression; empty where there is none that can be used. */
function messageOf(result: ExpressionResult | undefined): string {
  if (result?.kind !== "value" || typeof result.value !== "string") return ""
  const text = result.value.trim()
  return text.includes("\n") || Buffer.byteLength(text) > maxMessageBytes ? "" : text
}
