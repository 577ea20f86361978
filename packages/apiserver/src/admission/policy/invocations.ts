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

/** What of the policies concerns a request. */
export interface Invocations<T extends PolicyType> {
  readonly invocations: readonly Invocation<T>[]
  /** Of policies that do not ignore failures. */
  readonly faults: readonly ConfigurationFault<T>[]
}

/** Returns the evaluations that a request needs, in the order of policies and bindings. */
export function invocationsOf<T extends PolicyType>(hooks: readonly PolicyHook<T>[], attributes: AdmissionAttributes): Invocations<T> {
  const invocations: Invocation<T>[] = []
  const faults: ConfigurationFault<T>[] = []
  for (const hook of hooks) {
    const { spec } = hook.policy
    const configured = <R>(binding: PolicyBinding<T> | undefined, read: () => R): R | undefined => {
      const result = orFault(read, binding ? "binding" : "policy")
      if (!(result instanceof Fault)) return result
      if (spec?.failurePolicy !== "Ignore") faults.push({ hook, binding, message: result.message })
      return undefined
    }
    const matched = configured(undefined, () => {
      const resource = hook.matches(attributes)
      return resource && { resource, params: spec?.paramKind && paramResource(attributes.server, spec.paramKind) }
    })
    if (matched === undefined) continue
    for (const binding of hook.bindings) {
      const params = configured(binding, () =>
        binding.matches(attributes) === undefined
          ? []
          : collectParams(attributes.server, matched.params, binding.binding.spec?.paramRef, namespaceOf(attributes)),
      )
      for (const param of params ?? []) {
        invocations.push({ hook, binding, resource: matched.resource, param: param && { ...param, ...spec?.paramKind } })
      }
    }
  }
  return { invocations, faults }
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
