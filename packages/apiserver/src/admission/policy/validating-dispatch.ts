import { forbidden, StatusError } from "@pilothouse/api"
import type { ValidatingAdmissionPolicy } from "@pilothouse/api/admissionregistration/v1"
import { withDecisions } from "@pilothouse/cel/kubernetes"
import { lazy } from "@pilothouse/seams"
import { inTurns, type StepGenerator } from "../../request/turns.ts"
import { countConditions } from "../matching/match-condition-metrics.ts"
import { type AdmissionAttributes, objectName } from "../plugin.ts"
import { compiledOnce } from "./compiled-once.ts"
import { policySteps } from "./invocations.ts"
import type { PolicyBinding, PolicyHook } from "./policy-index.ts"
import { type PolicyCheck, type PolicyErrorType, PolicyMetrics } from "./policy-metrics.ts"
import { RequestVariables } from "./request-variables.ts"
import { CompiledValidatingPolicy, type PolicyResult } from "./validating-policy.ts"

type Hook = PolicyHook<"validating">
type Binding = PolicyBinding<"validating">

/** A decision against the request, and where it comes from. */
interface Denial {
  readonly hook: Hook
  readonly binding: Binding | undefined
  readonly message: string
  readonly reason: string
}

const compiled = compiledOnce((policy: ValidatingAdmissionPolicy) => new CompiledValidatingPolicy(policy))

/**
 * Evaluates all policies whose bindings match; refuses with the first denial. Returns a promise only where an authorizer does, or where others are due
 * between two evaluations.
 */
export function validatePolicies(hooks: readonly Hook[], attributes: AdmissionAttributes): void | Promise<void> {
  const denials: Denial[] = []
  const judged = inTurns(judge(hooks, attributes, denials))
  const conclude = () => {
    const [first] = denials
    if (first) throw refusal(first, attributes)
  }
  return judged instanceof Promise ? judged.then(conclude) : conclude()
}

function* judge(hooks: readonly Hook[], attributes: AdmissionAttributes, denials: Denial[]): StepGenerator<void> {
  const variables = new RequestVariables(attributes)
  const { clock, turns } = attributes.server
  for (const step of policySteps(hooks, attributes)) {
    if (step.kind === "fault") {
      denials.push({ ...step, reason: "" })
      continue
    }
    const { hook, binding, resource, param } = step
    const namespaceObject = variables.namespaceObject()
    const inputs = { ...variables.inVersion(resource), params: param, namespaceObject, authorizations: variables.authorizations }
    yield turns.whenUnspent(attributes.request.signal)
    const started = clock.elapsed()
    // Nothing is said to the client in there: the evaluation may run again.
    const evaluated = withDecisions(() => compiled(hook.policy).validate(inputs))
    turns.spend(clock.elapsed() - started)
    const result = evaluated instanceof Promise ? ((yield evaluated) as PolicyResult) : evaluated
    enforce(result, { hook, binding, attributes, denials, seconds: (clock.elapsed() - started) / 1000 })
  }
}

interface Enforcing {
  readonly hook: Hook
  readonly binding: Binding
  readonly attributes: AdmissionAttributes
  readonly denials: Denial[]
  /** Of the evaluation. */
  readonly seconds: number
}

function enforce({ decisions, annotationErrors, matched }: PolicyResult, enforcing: Enforcing): void {
  const { hook, binding, attributes, denials, seconds } = enforcing
  const policy = hook.policy.metadata.name ?? ""
  const name = binding.binding.metadata.name ?? ""
  const metrics = lazy(() => new PolicyMetrics(attributes.server.admissionMetrics, "validating"))
  const count = (action: PolicyCheck["action"], cause: PolicyErrorType) =>
    metrics().checked({ policy, binding: name, action, cause, seconds })
  if (matched !== undefined) countConditions(matched, { name: policy, kind: "policy" }, attributes)
  for (const { action, evaluation, message, reason, errorType } of decisions) {
    if (action === "admit") {
      if (evaluation === "error") count("allow", errorType)
      continue
    }
    for (const enforced of binding.binding.spec?.validationActions ?? []) {
      if (enforced === "Deny") denials.push({ hook, binding, message, reason })
      if (enforced === "Warn") {
        const about = `ValidatingAdmissionPolicy '${policy}' with binding '${name}'`
        attributes.request.warnings.add(`Validation failed for ${about}: ${message}`)
      }
      count(countedAs[enforced], errorType)
    }
  }
  for (const { message, errorType } of annotationErrors) {
    denials.push({ hook, binding, message, reason: "" })
    count("deny", errorType)
  }
}

const countedAs: Readonly<Record<string, "deny" | "warn" | "audit">> = { Deny: "deny", Warn: "warn", Audit: "audit" }

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413, Invalid: 422 }

function refusal({ hook, binding, message, reason }: Denial, attributes: AdmissionAttributes): StatusError {
  const policy = `ValidatingAdmissionPolicy '${hook.policy.metadata.name}'`
  const about = binding ? `${policy} with binding '${binding.binding.metadata.name}'` : policy
  const text = `${about} denied request: ${message}`
  const { status } = forbidden(attributes.resource.descriptor, objectName(attributes), text)
  const word = reason === "" ? "Invalid" : reason
  return new StatusError({ ...status, reason: word, code: codes[word] ?? 422, details: { ...status.details, causes: [{ message: text }] } })
}
