import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkLabelKey,
  checkPathSegmentName,
  deepEqual,
  type FieldError,
  fieldError,
  labelSelectorErrors,
} from "@pilothouse/api"
import type {
  AuditAnnotation,
  MatchCondition,
  MatchResources,
  MutatingAdmissionPolicy,
  Mutation,
  NamedRuleWithOperations,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
  Variable,
} from "@pilothouse/api/admissionregistration/v1"
import type { AdmissionEnvironment, CompiledExpression } from "@pilothouse/cel/kubernetes"
import { duplicates, named, oneOf } from "./field-rules.ts"
import { matchConditionErrors, matchConditionLibrary } from "./match-conditions.ts"
import { ruleErrors } from "./webhook-configuration.ts"

const failurePolicies = ["Fail", "Ignore"]
const matchPolicies = ["Equivalent", "Exact"]
const notFoundActions = ["Deny", "Allow"]
const validationActions = ["Audit", "Deny", "Warn"]
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"]
const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"]
const reinvocationPolicies = ["IfNeeded", "Never"]
const maxAnnotations = 20
const maxAnnotationExpression = 5 * 1024

/** Returns what is wrong with a ValidatingAdmissionPolicy, in upstream's words. */
export function validatingPolicyErrors(policy: ValidatingAdmissionPolicy, old?: ValidatingAdmissionPolicy): readonly FieldError[] {
  const { spec = {}, metadata } = policy
  const { variables = [], validations = [], auditAnnotations = [] } = spec
  const { AdmissionEnvironment } = matchConditionLibrary()
  const context: PolicyContext = {
    environment: new AdmissionEnvironment(variables.length > 0 ? "policy" : undefined),
    params: spec.paramKind !== undefined,
  }
  const empty = validations.length + auditAnnotations.length === 0
  const text = "validations or auditAnnotations must contain at least one item"
  return [
    ...policyErrors(spec, context, old?.spec),
    ...(empty ? ["spec.validations", "spec.auditAnnotations"].map((path) => fieldError.required(path, text)) : []),
    ...validations.flatMap((validation, index) => validationErrors(validation, context, `spec.validations[${index}]`)),
    ...annotationsErrors(auditAnnotations, metadata.name ?? "", context),
  ]
}

/** Returns what is wrong with a MutatingAdmissionPolicy, in upstream's words. */
export function mutatingPolicyErrors({ spec = {} }: MutatingAdmissionPolicy, old?: MutatingAdmissionPolicy): readonly FieldError[] {
  const { AdmissionEnvironment } = matchConditionLibrary()
  const context: PolicyContext = { environment: new AdmissionEnvironment("policy"), params: spec.paramKind !== undefined }
  const { mutations = [], reinvocationPolicy, matchConstraints } = spec
  const operations = (matchConstraints?.resourceRules ?? []).flatMap(({ operations: listed = [] }) => listed)
  return [
    ...policyErrors(spec, context, old?.spec),
    ...operations.flatMap((operation) =>
      mutatingOperations.includes(operation)
        ? []
        : [fieldError.notSupported("spec.matchConstraints.resourceRules.operations", operation, mutatingOperations)],
    ),
    ...(mutations.length === 0 ? [fieldError.required("spec.mutations", "mutations must contain at least one item")] : []),
    ...mutations.flatMap((mutation, index) => mutationErrors(mutation, context, `spec.mutations[${index}]`)),
    ...oneOf(reinvocationPolicy, reinvocationPolicies, "spec.reinvocationPolicy"),
  ]
}

/** The field of each type of patch, and that of the other. */
const patchFields = {
  ApplyConfiguration: ["applyConfiguration", "jsonPatch"],
  JSONPatch: ["jsonPatch", "applyConfiguration"],
} as const

function mutationErrors(mutation: Mutation, { environment, params }: PolicyContext, path: string): readonly FieldError[] {
  const { patchType = "" } = mutation
  const wrongType = oneOf(patchType, Object.keys(patchFields), `${path}.patchType`)
  if (wrongType.length > 0) return wrongType
  const [own, other] = patchFields[patchType as keyof typeof patchFields]
  const unexpected = `must not be specified when patchType is ${patchType}`
  const otherErrors = mutation[other] === undefined ? [] : [fieldError.invalid(`${path}.${other}`, `{${other}}`, unexpected)]
  const patch = mutation[own]
  if (patch === undefined)
    return [fieldError.required(`${path}.${own}`, `must be specified when patchType is ${patchType}`), ...otherErrors]
  const expression = (patch.expression ?? "").trim()
  if (expression === "") return [fieldError.required(`${path}.${own}.expression`), ...otherErrors]
  const declarations = { params, authorizer: true, patchTypes: true }
  const compiled = environment.compile(expression, declarations, matchConditionLibrary().resultTypes[own])
  return [...expressionErrors(compiled, expression, `${path}.${own}.expression`), ...otherErrors]
}

/** What both kinds of policies have. */
interface PolicySpec {
  readonly failurePolicy?: string
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: readonly MatchCondition[]
  readonly variables?: readonly Variable[]
}

/** What expressions of a policy are compiled with. */
interface PolicyContext {
  readonly environment: AdmissionEnvironment
  readonly params: boolean
}

function policyErrors(spec: PolicySpec, context: PolicyContext, old: PolicySpec | undefined): readonly FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [], variables = [] } = spec
  const unchanged = old !== undefined && deepEqual(matchConditions, old.matchConditions ?? []) && deepEqual(paramKind, old.paramKind)
  const noRules = matchConstraints !== undefined && (matchConstraints.resourceRules ?? []).length === 0
  return [
    ...oneOf(failurePolicy, failurePolicies, "spec.failurePolicy"),
    ...(paramKind ? paramKindErrors(paramKind, "spec.paramKind") : []),
    ...(matchConstraints
      ? matchResourcesErrors(matchConstraints, "spec.matchConstraints")
      : [fieldError.required("spec.matchConstraints")]),
    ...(noRules ? [fieldError.required("spec.matchConstraints.resourceRules")] : []),
    ...(unchanged ? [] : matchConditionErrors(matchConditions, { path: "spec.matchConditions", params: context.params })),
    ...variables.flatMap((variable, index) => variableErrors(variable, context, `spec.variables[${index}]`)),
  ]
}

function paramKindErrors({ apiVersion = "", kind = "" }: ParamKind, path: string): readonly FieldError[] {
  const words = checkDns1035Label(kind.toLowerCase()).join(",")
  const wrongKind = [fieldError.invalid(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${words}`)]
  return [
    ...groupVersionErrors(apiVersion, `${path}.apiVersion`),
    ...(kind === "" ? [fieldError.required(`${path}.kind`)] : words === "" ? [] : wrongKind),
  ]
}

function groupVersionErrors(apiVersion: string, path: string): readonly FieldError[] {
  if (apiVersion === "") return [fieldError.required(path)]
  const parts = apiVersion.split("/")
  if (parts.length > 2) return [fieldError.invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  const [version = "", group = ""] = parts.reverse()
  const inGroup = group === "" ? "" : checkDns1123Subdomain(group).join(",")
  const inVersion = version === "" ? "" : checkDns1035Label(version).join(",")
  return [
    ...(inGroup === "" ? [] : [fieldError.invalid(path, group, inGroup)]),
    ...(version === "" ? [fieldError.invalid(path, apiVersion, "version must be specified")] : []),
    ...(inVersion === "" ? [] : [fieldError.invalid(path, version, inVersion)]),
  ]
}

function matchResourcesErrors(matched: MatchResources, path: string): readonly FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = matched
  const selectors = Object.entries({ namespaceSelector, objectSelector })
  return [
    ...oneOf(matchPolicy, matchPolicies, `${path}.matchPolicy`),
    ...selectors.flatMap(([name, selector]) =>
      selector === undefined ? [fieldError.required(`${path}.${name}`)] : labelSelectorErrors(selector, `${path}.${name}`),
    ),
    ...resourceRules.flatMap((rule, index) => namedRuleErrors(rule, `${path}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) => namedRuleErrors(rule, `${path}.excludeResourceRules[${index}]`)),
  ]
}

function namedRuleErrors(rule: NamedRuleWithOperations, path: string): readonly FieldError[] {
  const { resourceNames = [] } = rule
  const pathOf = (index: number): string => `${path}.resourceNames[${index}]`
  return [
    ...resourceNames.flatMap((name, index) => checkPathSegmentName(name).map((text) => fieldError.invalid(pathOf(index), name, text))),
    ...duplicates(resourceNames, pathOf),
    ...ruleErrors(rule, path),
  ]
}

/** Returns what is wrong with an expression that was compiled. */
function expressionErrors(compiled: CompiledExpression, expression: string, path: string): readonly FieldError[] {
  return "error" in compiled ? [fieldError.invalid(path, expression, compiled.error)] : []
}

function variableErrors(
  { name = "", expression = "" }: Variable,
  { environment, params }: PolicyContext,
  path: string,
): readonly FieldError[] {
  const { escapeProperty } = matchConditionLibrary()
  const isIdentifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && escapeProperty(name) !== `__${name}__`
  const nameErrors =
    name.trim() === ""
      ? [fieldError.required(`${path}.name`, "name is not specified")]
      : isIdentifier
        ? []
        : [fieldError.invalid(`${path}.name`, name, "must be a valid CEL identifier")]
  if (expression.trim() === "") return [...nameErrors, fieldError.required(`${path}.expression`, "expression is not specified")]
  const compiled = environment.addVariable({ name, expression }, { params, authorizer: true })
  return [...nameErrors, ...expressionErrors(compiled, expression, `${path}.expression`)]
}

function validationErrors(validation: Validation, { environment, params }: PolicyContext, path: string): readonly FieldError[] {
  const { expression = "", messageExpression = "", message = "", reason } = validation
  const { resultTypes } = matchConditionLibrary()
  const test = (): CompiledExpression => environment.compile(expression, { params, authorizer: true }, resultTypes.condition)
  const text = (): CompiledExpression => environment.compile(messageExpression, { params }, resultTypes.message)
  return [
    ...(expression.trim() === ""
      ? [fieldError.required(`${path}.expression`, "expression is not specified")]
      : expressionErrors(test(), expression, `${path}.expression`)),
    ...blankErrors(messageExpression, `${path}.messageExpression`),
    ...(messageExpression.trim() === "" ? [] : expressionErrors(text(), messageExpression, `${path}.messageExpression`)),
    ...blankErrors(message, `${path}.message`),
    ...(/[\n\r]/.test(message.trim()) ? [fieldError.invalid(`${path}.message`, message, "must not contain line breaks")] : []),
    ...(reason === undefined || reasons.includes(reason) ? [] : [fieldError.notSupported(`${path}.reason`, reason, reasons)]),
  ]
}

function blankErrors(text: string, path: string): readonly FieldError[] {
  return text !== "" && text.trim() === "" ? [fieldError.invalid(path, text, "must be non-empty if specified")] : []
}

function annotationsErrors(annotations: readonly AuditAnnotation[], policy: string, context: PolicyContext): readonly FieldError[] {
  const path = "spec.auditAnnotations"
  return [
    ...(annotations.length > maxAnnotations
      ? [fieldError.invalid(path, annotations, `must not have more than ${maxAnnotations} auditAnnotations`)]
      : []),
    ...annotations.flatMap((annotation, index) => annotationErrors(annotation, policy, context, `${path}[${index}]`)),
    ...duplicates(
      annotations.map(({ key }) => key),
      (index) => `${path}[${index}].key`,
    ),
  ]
}

function annotationErrors(
  { key = "", valueExpression = "" }: AuditAnnotation,
  policy: string,
  { environment, params }: PolicyContext,
  path: string,
): readonly FieldError[] {
  const whole = `${policy}/${key}`
  const keyErrors =
    policy === ""
      ? [fieldError.invalid(`${path}.key`, key, "requires metadata.name be non-empty")]
      : checkLabelKey(whole).map((text) => fieldError.invalid(`${path}.key`, whole, text))
  const trimmed = valueExpression.trim()
  const field = `${path}.valueExpression`
  if (trimmed === "") return [...keyErrors, fieldError.required(field, "valueExpression is not specified")]
  if (Buffer.byteLength(trimmed) > maxAnnotationExpression)
    return [...keyErrors, fieldError.required(field, `must not exceed ${maxAnnotationExpression} bytes in length`)]
  const compiled = environment.compile(trimmed, { params, authorizer: true }, matchConditionLibrary().resultTypes.auditAnnotation)
  return [...keyErrors, ...expressionErrors(compiled, valueExpression, field)]
}

type BindingSpec = Partial<Omit<NonNullable<ValidatingAdmissionPolicyBinding["spec"]>, "validationActions">>

/** Returns what is wrong with a binding of either kind of policy. */
export function policyBindingErrors({ policyName, paramRef, matchResources }: BindingSpec): readonly FieldError[] {
  return [
    ...named(policyName, checkDns1123Subdomain, "spec.policyName"),
    ...(paramRef ? paramRefErrors(paramRef, "spec.paramRef") : []),
    ...(matchResources ? matchResourcesErrors(matchResources, "spec.matchResources") : []),
  ]
}

function paramRefErrors({ name = "", selector, parameterNotFoundAction }: ParamRef, path: string): readonly FieldError[] {
  const both = name !== "" && selector !== undefined
  const exclusive = "name and selector are mutually exclusive"
  return [
    ...(name === "" ? [] : checkPathSegmentName(name).map((text) => fieldError.invalid(`${path}.name`, name, text))),
    ...(both ? [fieldError.forbidden(`${path}.name`, exclusive)] : []),
    ...(selector ? labelSelectorErrors(selector, `${path}.selector`) : []),
    ...(both ? [fieldError.forbidden(`${path}.selector`, exclusive)] : []),
    ...(name === "" && !selector ? [fieldError.required(path, "one of name or selector must be specified")] : []),
    ...oneOf(parameterNotFoundAction, notFoundActions, `${path}.parameterNotFoundAction`),
  ]
}

/** Returns what is wrong with the actions of a binding. */
export function validationActionErrors(actions: readonly string[], path: string): readonly FieldError[] {
  const text =
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"
  return [
    ...actions.flatMap((action, index) =>
      validationActions.includes(action) ? [] : [fieldError.notSupported(`${path}[${index}]`, action, validationActions)],
    ),
    ...duplicates(actions, (index) => `${path}[${index}]`),
    ...(actions.includes("Deny") && actions.includes("Warn") ? [fieldError.invalid(path, actions, text)] : []),
    ...(actions.length === 0 ? [fieldError.required(path, "at least one validation action is required")] : []),
  ]
}
