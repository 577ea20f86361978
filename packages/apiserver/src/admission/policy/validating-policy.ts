import type { ValidatingAdmissionPolicy } from "@pilothouse/api/admissionregistration/v1"
import {
  AdmissionEnvironment,
  type AdmissionEvaluation,
  AdmissionExpressions,
  type AdmissionInputs,
  type ExpressionResult,
  MatchConditions,
  objectCostLimit,
  resultTypes,
} from "@pilothouse/cel/kubernetes"

/** What one validation came to. `evaluation` says whether that is because of the request or because the expression failed. */
export interface PolicyDecision {
  readonly action: "admit" | "deny"
  readonly evaluation: "admit" | "deny" | "error"
  readonly message: string
  readonly reason: string
}

/** What a policy says to one request with one param. */
export interface PolicyResult {
  /** One for each validation; a single one where the policy could not be evaluated. */
  readonly decisions: readonly PolicyDecision[]
  /** Why audit annotations could not be computed, where that refuses the request. */
  readonly annotationErrors: readonly string[]
}

const nothing: PolicyResult = { decisions: [], annotationErrors: [] }

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
    if (matched?.kind === "excluded") return nothing
    if (matched?.kind === "error") return this.fails ? { ...nothing, decisions: [this.failure(matched.message)] } : nothing
    const evaluation = this.validations.evaluateNow(inputs, objectCostLimit)
    if (evaluation.kind === "outOfBudget") return { ...nothing, decisions: [this.failure(evaluation.message)] }
    const messages = this.messages?.evaluateNow({ ...inputs, authorizations: undefined }, evaluation.remainingBudget)
    const decisions = evaluation.results.map((result, index) => this.decision(result, index, messages))
    const annotations = this.annotations?.evaluateNow({ ...inputs, authorizations: undefined }, objectCostLimit)
    if (annotations?.kind === "outOfBudget") return { ...nothing, decisions: [this.failure(annotations.message)] }
    const failed = annotations?.results.flatMap((result) => (result.kind === "error" ? [result.message] : [])) ?? []
    return { decisions, annotationErrors: this.fails ? failed : [] }
  }

  private get fails(): boolean {
    return this.spec.failurePolicy !== "Ignore"
  }

  /** What an expression that cannot be computed decides, by the failurePolicy. */
  private failure(message: string): PolicyDecision {
    return { action: this.fails ? "deny" : "admit", evaluation: "error", message, reason: "" }
  }

  private decision(result: ExpressionResult, index: number, messages: AdmissionEvaluation | undefined): PolicyDecision {
    if (result.kind === "error") return this.failure(result.message)
    if (messages?.kind === "outOfBudget") return this.failure(`failed messageExpression: ${messages.message}`)
    if (result.kind === "value" && result.value === true) return { action: "admit", evaluation: "admit", message: "", reason: "" }
    const { message = "", expression = "", reason = "Invalid" } = this.spec.validations?.[index] ?? {}
    const text = messageOf(messages?.results[index]) || message.trim() || `failed expression: ${expression.trim()}`
    return { action: "deny", evaluation: "deny", message: text, reason }
  }
}

/** Returns the message of an expression; empty where there is none that can be used. */
function messageOf(result: ExpressionResult | undefined): string {
  if (result?.kind !== "value" || typeof result.value !== "string") return ""
  const text = result.value.trim()
  return text.includes("\n") || Buffer.byteLength(text) > maxMessageBytes ? "" : text
}
