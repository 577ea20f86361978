import type { MutatingAdmissionPolicy } from "@pilothouse/api/admissionregistration/v1"
import type { Value } from "@pilothouse/cel"
import {
  AdmissionEnvironment,
  AdmissionExpressions,
  type AdmissionInputs,
  MatchConditions,
  objectCostLimit,
  resultTypes,
} from "@pilothouse/cel/kubernetes"
import { MutationError } from "./apply-mutation.ts"

/** One mutation of a policy. */
export interface CompiledMutation {
  readonly patchType: "ApplyConfiguration" | "JSONPatch"
  readonly expressions: AdmissionExpressions
}

/** A MutatingAdmissionPolicy whose expressions are compiled once. */
export class CompiledMutatingPolicy {
  readonly conditions: MatchConditions | undefined
  readonly mutations: readonly CompiledMutation[]

  constructor({ spec = {} }: MutatingAdmissionPolicy) {
    const { variables = [], matchConditions = [], mutations = [] } = spec
    const declarations = { params: spec.paramKind !== undefined, authorizer: true }
    const environment = new AdmissionEnvironment("policy")
    for (const { name = "", expression = "" } of variables) environment.addVariable({ name, expression }, declarations)
    this.conditions = matchConditions.length === 0 ? undefined : new MatchConditions(matchConditions, declarations, environment)
    this.mutations = mutations.map(({ patchType, jsonPatch, applyConfiguration }) => {
      const isPatch = patchType === "JSONPatch"
      const expression = (isPatch ? jsonPatch?.expression : applyConfiguration?.expression) ?? ""
      const returns = isPatch ? resultTypes.jsonPatch : resultTypes.applyConfiguration
      const expressions = new AdmissionExpressions([{ expression, returns }], { ...declarations, patchTypes: true }, environment)
      return { patchType: isPatch ? "JSONPatch" : "ApplyConfiguration", expressions }
    })
  }
}

/** Returns what the expression of a mutation comes to; throws why it comes to nothing. */
export async function evaluateMutation({ expressions }: CompiledMutation, inputs: AdmissionInputs): Promise<Value> {
  const [uncompiled] = expressions.errors
  if (uncompiled !== undefined) throw new MutationError(uncompiled, "compile_error")
  const evaluation = await expressions.evaluate(inputs, objectCostLimit)
  if (evaluation.kind === "outOfBudget") throw new MutationError(evaluation.message, "out_of_budget")
  const [result] = evaluation.results
  if (result?.kind === "value") return result.value
  throw new MutationError(result?.kind === "error" ? result.message : "policy evaluator is nil")
}
