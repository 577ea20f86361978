export {
  type AdmissionDeclarations,
  AdmissionEnvironment,
  type CompiledExpression,
  type PolicyVariable,
  resultTypes,
} from "./admission/admission-environment.ts"
export {
  type AdmissionEvaluation,
  type AdmissionExpression,
  AdmissionExpressions,
  type AdmissionInputs,
  type ExpressionResult,
} from "./admission/admission-expressions.ts"
export { type ExpressionAuthorizer, RequestAuthorizations, withDecisions } from "./admission/authorizations.ts"
export { type MatchCondition, MatchConditions, type MatchOutcome, matchConditionsCostLimit } from "./admission/match-conditions.ts"
export { jsonOf, typeNameFaults } from "./admission/patch-types.ts"
export { PolicyTypeChecker, type TypeCheckInputs } from "./admission/policy-type-check.ts"
export { ReviewConditions } from "./authorization/review-conditions.ts"
export { type DeviceSelector, DeviceSelectors, type SelectableDevice } from "./devices/device-selectors.ts"
export { callCostLimit, kubernetesEnvironment, objectCostLimit } from "./environment/kubernetes-environment.ts"
export type { AuthorizationDecision, AuthorizationUser, PathAuthorization, ResourceAuthorization } from "./libraries/authorizers.ts"
export { type Pattern, patternCompiler } from "./libraries/regular-expressions.ts"
export { type CompiledRule, type CompiledRules, type CompileRulesOptions, compileRules, type RuleNode } from "./rules/compile-rules.ts"
export { ruleFormatErrors } from "./rules/rule-format.ts"
export { type RuleValidation, type ValidateRulesOptions, validateRules } from "./rules/validate-rules.ts"
export { escapeProperty } from "./schema/escaping.ts"
export type { JsonSchema, ValidationRule } from "./schema/json-schema.ts"
export { type SchemaType, type SchemaTypes, sizeHintsOf, typesFromSchema } from "./schema/schema-types.ts"
