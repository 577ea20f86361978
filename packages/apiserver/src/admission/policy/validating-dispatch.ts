import { forbidden, StatusError } from "@pilothouse/api"
import type { ValidatingAdmissionPolicy } from "@pilothouse/api/admissionregistration/v1"
import { withDecisions } from "@pilothouse/cel/kubernetes"
import { type AdmissionAttributes, objectName } from "../plugin.ts"
import { invocationsOf } from "./invocations.ts"
import type { PolicyBinding, PolicyHook } from "./policy-index.ts"
import { RequestVariables } from "./request-variables.ts"
import { CompiledValidatingPolicy, type PolicyDecision } from "./validating-policy.ts"

type Hook = PolicyHook<"validating">
type Binding = PolicyBinding<"validating">

/** A decision against the request, and where it comes from. */
interface Denial {
  readonly hook: Hook
  readonly binding: Binding | undefined
  readonly message: string
  readonly reason: string
}

/** What policies say to a request: the first denial is its answer. */
interface Verdict {
  readonly denials: Denial[]
  readonly warnings: string[]
}

const compiledPolicies = new WeakMap<ValidatingAdmissionPolicy, CompiledValidatingPolicy>()

/** A stored policy is never changed, so what is compiled of it holds. */
function compiled(policy: ValidatingAdmissionPolicy): CompiledValidatingPolicy {
  const known = compiledPolicies.get(policy)
  if (known) return known
  const made = new CompiledValidatingPolicy(policy)
  compiledPolicies.set(policy, made)
  return made
}

/** Evaluates all policies whose bindings match; refuses with the first denial. Returns a promise only where an authorizer does. */
export function validatePolicies(hooks: readonly Hook[], attributes: AdmissionAttributes): void | Promise<void> {
  const variables = new RequestVariables(attributes)
  const verdict = withDecisions(() => judge(hooks, attributes, variables))
  return verdict instanceof Promise ? verdict.then((made) => conclude(made, attributes)) : conclude(verdict, attributes)
}

/** Nothing is said to the client here: the evaluation may run again. */
function judge(hooks: readonly Hook[], attributes: AdmissionAttributes, variables: RequestVariables): Verdict {
  const { invocations, faults } = invocationsOf(hooks, attributes)
  const verdict: Verdict = { denials: faults.map((fault) => ({ ...fault, reason: "" })), warnings: [] }
  for (const { hook, binding, resource, param } of invocations) {
    const inputs = {
      ...variables.inVersion(resource),
      params: param,
      namespaceObject: variables.namespaceObject(),
      authorizations: variables.authorizations,
    }
    const { decisions, annotationErrors } = compiled(hook.policy).validate(inputs)
    for (const decision of decisions) enforce(verdict, hook, binding, decision)
    for (const message of annotationErrors) verdict.denials.push({ hook, binding, message, reason: "" })
  }
  return verdict
}

function enforce(verdict: Verdict, hook: Hook, binding: Binding, { action, message, reason }: PolicyDecision): void {
  if (action === "admit") return
  const { validationActions = [], policyName } = binding.binding.spec ?? {}
  for (const enforced of validationActions) {
    if (enforced === "Deny") verdict.denials.push({ hook, binding, message, reason })
    if (enforced === "Warn") {
      const about = `ValidatingAdmissionPolicy '${policyName}' with binding '${binding.binding.metadata.name}'`
      verdict.warnings.push(`Validation failed for ${about}: ${message}`)
    }
  }
}

function conclude({ denials, warnings }: Verdict, attributes: AdmissionAttributes): void {
  for (const warning of warnings) attributes.request.warnings.add(warning)
  const [first] = denials
  if (first) throw refusal(first, attributes)
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413, Invalid: 422 }

function refusal({ hook, binding, message, reason }: Denial, attributes: AdmissionAttributes): StatusError {
  const policy = `ValidatingAdmissionPolicy '${hook.policy.metadata.name}'`
  const about = binding ? `${policy} with binding '${binding.binding.metadata.name}'` : policy
  const text = `${about} denied request: ${message}`
  const { status } = forbidden(attributes.resource.descriptor, objectName(attributes), text)
  const word = reason === "" ? "Invalid" : reason
  return new StatusError({ ...status, reason: word, code: codes[word] ?? 422, details: { ...status.details, causes: [{ message: text }] } })
}
