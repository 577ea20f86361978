import { type KubeObject, StatusError } from "@pilothouse/api"
import { messageOf } from "@pilothouse/seams"
import type { Resource } from "../../resources/resource.ts"
import { namespaceOf } from "../matching/match-request.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { collectParams, PolicyConfigurationError, paramResource } from "./params.ts"
import type { PolicyBinding, PolicyHook, PolicyType } from "./policy-index.ts"

/** One evaluation of a policy: through one binding, with one param. */
export interface Invocation<T extends PolicyType> {
  readonly hook: PolicyHook<T>
  readonly binding: PolicyBinding<T>
  /** In whose version the request has matched. */
  readonly resource: Resource
  /** As expressions see it; undefined where the binding has none. */
  readonly param: KubeObject | undefined
}

/** Why a policy, or a binding of it, cannot be used for a request. */
export interface ConfigurationFault<T extends PolicyType> {
  readonly hook: PolicyHook<T>
  readonly binding: PolicyBinding<T> | undefined
  readonly message: string
}

/** What of the policies concerns a request: what to evaluate, and what cannot be, of policies that do not ignore failures. */
export type PolicyStep<T extends PolicyType> =
  | ({ readonly kind: "invocation" } & Invocation<T>)
  | ({ readonly kind: "fault" } & ConfigurationFault<T>)

/** Returns the evaluations that a request needs, in the order of policies and bindings. */
export function* policySteps<T extends PolicyType>(
  hooks: readonly PolicyHook<T>[],
  attributes: AdmissionAttributes,
): Generator<PolicyStep<T>> {
  for (const hook of hooks) {
    const { spec } = hook.policy
    const fails = spec?.failurePolicy !== "Ignore"
    const matched = orFault(() => {
      const resource = hook.matches(attributes)
      return resource && { resource, params: spec?.paramKind && paramResource(attributes.server, spec.paramKind) }
    }, "policy")
    if (matched instanceof Fault && fails) yield { kind: "fault", hook, binding: undefined, message: matched.message }
    if (matched === undefined || matched instanceof Fault) continue
    for (const binding of hook.bindings) {
      const params = orFault(() => paramsOf(binding, matched.params, attributes), "binding")
      if (!(params instanceof Fault)) {
        for (const param of params) {
          yield { kind: "invocation", hook, binding, resource: matched.resource, param: param && { ...param, ...spec?.paramKind } }
        }
      } else if (fails) yield { kind: "fault", hook, binding, message: params.message }
    }
  }
}

/** None where the binding does not match. */
function paramsOf<T extends PolicyType>(
  binding: PolicyBinding<T>,
  params: Resource | undefined,
  attributes: AdmissionAttributes,
): readonly (KubeObject | undefined)[] {
  if (binding.matches(attributes) === undefined) return []
  return collectParams(attributes.server, params, binding.binding.spec?.paramRef, namespaceOf(attributes))
}

class Fault {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

function orFault<R>(read: () => R, what: string): R | Fault {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof StatusError || error instanceof PolicyConfigurationError)) throw error
    return new Fault(`failed to configure ${what}: ${messageOf(error)}`)
  }
}
