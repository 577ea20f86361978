import { forbidden, type KubeObject, StatusError } from "@pilothouse/api"
import type { MutatingAdmissionPolicy } from "@pilothouse/api/admissionregistration/v1"
import type { Value } from "@pilothouse/cel"
import type { AdmissionInputs } from "@pilothouse/cel/kubernetes"
import { parseJson, stringifyJson } from "@pilothouse/seams"
import { countConditions } from "../matching/match-condition-metrics.ts"
import { type AdmissionAttributes, objectName, reinvocationOf } from "../plugin.ts"
import { beginSecondRound, endRound, requireEligible, roundsOf } from "../reinvocation-rounds.ts"
import { takeObject } from "../webhook/patched-object.ts"
import { versionedObjects } from "../webhook/versioned-objects.ts"
import { applyObjectLiteral, applyPatchOperations, MutationError } from "./apply-mutation.ts"
import { compiledOnce } from "./compiled-once.ts"
import { type Invocation, type PolicyStep, policySteps } from "./invocations.ts"
import { CompiledMutatingPolicy, type CompiledMutation, evaluateMutation } from "./mutating-policy.ts"
import type { PolicyHook } from "./policy-index.ts"
import { type PolicyErrorType, PolicyMetrics } from "./policy-metrics.ts"
import { RequestVariables } from "./request-variables.ts"

type Hook = PolicyHook<"mutating">

const compiled = compiledOnce((policy: MutatingAdmissionPolicy) => new CompiledMutatingPolicy(policy))

/** Why a request is refused, in upstream's words. */
interface PolicyFault {
  readonly message: string
  readonly reason: "Forbidden" | "Invalid"
}

/**
 * Applies the mutations of all policies whose bindings match to the object of a request, in place; refuses with what could not be applied. Returns a
 * promise only where one matches.
 */
export function mutateByPolicies(hooks: readonly Hook[], attributes: AdmissionAttributes): void | Promise<void> {
  const steps = [...policySteps(hooks, attributes)]
  if (steps.length > 0) return mutateBy(steps, attributes)
}

async function mutateBy(steps: readonly PolicyStep<"mutating">[], attributes: AdmissionAttributes): Promise<void> {
  const invocations = steps.filter((step) => step.kind === "invocation")
  const errors: PolicyFault[] = steps.flatMap((step) => {
    if (step.kind === "invocation") return []
    const { hook, binding, message } = step
    const name = hook.policy.metadata.name
    const about = binding ? `policy '${name}' with binding '${binding.binding.metadata.name}'` : `policy "${name}"`
    return [{ message: `${about} denied request: ${message}`, reason: "Forbidden" }]
  })
  if (invocations.length > 0) errors.push(...(await mutateInOrder(invocations, attributes)))
  const [first] = errors
  if (first) throw refusal(first, errors, attributes)
}

async function mutateInOrder(
  invocations: readonly Invocation<"mutating">[],
  attributes: AdmissionAttributes,
): Promise<readonly PolicyFault[]> {
  const reinvocation = reinvocationOf(attributes)
  const rounds = roundsOf(reinvocation, "MutatingAdmissionPolicy")
  if (reinvocation.isReinvoke) beginSecondRound(rounds, attributes)
  const { authorizations } = new RequestVariables(attributes)
  const errors: PolicyFault[] = []
  const { clock, turns } = attributes.server
  let hasApplied = false
  for (const invocation of invocations) {
    await turns.whenUnspent(attributes.request.signal)
    const key = keyOf(invocation)
    const variables = () => new RequestVariables(attributes, authorizations)
    const started = clock.elapsed()
    const outcome = await mutateOnce(invocation, attributes, variables, () => !reinvocation.isReinvoke || rounds.again.has(key))
    turns.spend(clock.elapsed() - started)
    if (outcome === "skipped") continue
    errors.push(...outcome.errors)
    hasApplied ||= outcome.applied
    if (outcome.changed) requireEligible(rounds)
    if (invocation.hook.policy.spec?.reinvocationPolicy === "IfNeeded") rounds.eligible.add(key)
  }
  // A mutation that was applied requires a second round, as upstream has it, even where the object stayed the same.
  if (hasApplied && attributes.object !== undefined) {
    requireEligible(rounds)
    reinvocation.isNeeded = true
  }
  endRound(rounds, attributes)
  return errors
}

function keyOf({ hook, binding, param }: Invocation<"mutating">): string {
  const { namespace = "", name = "" } = param?.metadata ?? {}
  return [hook.policy.metadata.name, binding.binding.metadata.name, namespace, name].join("/")
}

interface Outcome {
  /** Whether a mutation could be applied. */
  readonly applied: boolean
  /** Whether the object is another one since. */
  readonly changed: boolean
  readonly errors: readonly PolicyFault[]
}

/** Applies the mutations of one policy where its conditions match and its turn has come. */
async function mutateOnce(
  invocation: Invocation<"mutating">,
  attributes: AdmissionAttributes,
  variables: () => RequestVariables,
  isDue: () => boolean,
): Promise<Outcome | "skipped"> {
  const { hook, resource, param } = invocation
  const policy = compiled(hook.policy)
  const inputs = () => {
    const current = variables()
    return {
      ...current.inVersion(resource),
      params: param,
      namespaceObject: current.namespaceObject(),
      authorizations: current.authorizations,
    }
  }
  const matched = await policy.conditions?.match({ ...inputs(), namespaceObject: null })
  if (matched !== undefined) countConditions(matched, { name: hook.policy.metadata.name ?? "", kind: "policy" }, attributes)
  if (matched?.kind === "excluded") return "skipped"
  if (matched?.kind === "error") return { applied: false, changed: false, errors: faultsOf(invocation, matched.message) }
  if (!isDue()) return "skipped"
  return applyMutations(policy.mutations, { invocation, attributes, inputs })
}

interface Mutating {
  readonly invocation: Invocation<"mutating">
  readonly attributes: AdmissionAttributes
  /** The variables of expressions, made of the object as the mutation before has left it. */
  readonly inputs: () => AdmissionInputs
}

async function applyMutations(mutations: readonly CompiledMutation[], { invocation, attributes, inputs }: Mutating): Promise<Outcome> {
  const errors: PolicyFault[] = []
  let [applied, changed] = [false, false]
  const { clock, admissionMetrics } = attributes.server
  const of = { policy: invocation.hook.policy.metadata.name ?? "", binding: invocation.binding.binding.metadata.name ?? "" }
  for (const mutation of attributes.object === undefined ? [] : mutations) {
    const started = clock.elapsed()
    const count = (cause: PolicyErrorType) =>
      new PolicyMetrics(admissionMetrics, "mutating").checked({ ...of, cause, seconds: (clock.elapsed() - started) / 1000 })
    try {
      changed = (await apply(mutation, await evaluateMutation(mutation, inputs()), invocation, attributes)) || changed
      applied = true
      count("no_error")
    } catch (error) {
      count(error instanceof MutationError ? error.errorType : "invalid_error")
      if (!(error instanceof MutationError)) throw error
      errors.push(...faultsOf(invocation, error.message))
    }
  }
  return { applied, changed, errors }
}

async function apply(
  { patchType }: CompiledMutation,
  value: Value,
  { resource }: Invocation<"mutating">,
  attributes: AdmissionAttributes,
): Promise<boolean> {
  const objects = versionedObjects(attributes, resource)
  await objects.ready()
  const sent = parseJson(stringifyJson(objects.review().object)) as KubeObject
  const made = patchType === "JSONPatch" ? applyPatchOperations(sent, value) : applyObjectLiteral(sent, value, attributes, resource)
  return takeObject(attributes, objects, sent, made, patchType === "JSONPatch" ? "refused" : "ignored")
}

/** What could not be evaluated or applied is ignored where the policy says so. */
function faultsOf({ hook, binding }: Invocation<"mutating">, text: string): readonly PolicyFault[] {
  if (hook.policy.spec?.failurePolicy === "Ignore") return []
  const about = `policy '${hook.policy.metadata.name}' with binding '${binding.binding.metadata.name}'`
  return [{ message: `${about} denied request: ${text}`, reason: "Invalid" }]
}

function refusal({ message, reason }: PolicyFault, all: readonly PolicyFault[], attributes: AdmissionAttributes): StatusError {
  const { status } = forbidden(attributes.resource.descriptor, objectName(attributes), "admission request denied by policy")
  const causes = all.map((fault) => ({ message: fault.message }))
  return new StatusError({ ...status, message, reason, details: { ...status.details, causes } })
}
