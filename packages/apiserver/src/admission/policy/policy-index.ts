import type { Descriptor, KubeObject } from "@pilothouse/api"
import {
  type MatchResources,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from "@pilothouse/api/admissionregistration/v1"
import type { ObjectIndex } from "../../registry/object-indexes.ts"
import { type RequestMatcher, requestMatcher } from "../matching/match-request.ts"
import type { MatchRule } from "../matching/rules.ts"

export type PolicyType = "mutating" | "validating"

interface Policies {
  readonly mutating: MutatingAdmissionPolicy
  readonly validating: ValidatingAdmissionPolicy
}

interface Bindings {
  readonly mutating: MutatingAdmissionPolicyBinding
  readonly validating: ValidatingAdmissionPolicyBinding
}

/** A policy that has bindings, with what decides which requests concern them. */
export interface PolicyHook<T extends PolicyType = PolicyType> {
  readonly policy: Policies[T]
  readonly matches: RequestMatcher
  readonly bindings: readonly PolicyBinding<T>[]
}

export interface PolicyBinding<T extends PolicyType = PolicyType> {
  readonly binding: Bindings[T]
  readonly matches: RequestMatcher
}

function indexOf<T extends PolicyType>(...kinds: readonly [Descriptor, Descriptor]): ObjectIndex<readonly PolicyHook<T>[]> {
  const read = ([policies = [], bindings = []]: readonly (readonly KubeObject[])[]) =>
    hooksOf<T>(policies as readonly Policies[T][], bindings as readonly Bindings[T][])
  return { kinds, read }
}

/** The policies of one type that have bindings, by name. */
export const policyIndexes: { readonly [T in PolicyType]: ObjectIndex<readonly PolicyHook<T>[]> } = {
  mutating: indexOf(mutatingAdmissionPolicies as Descriptor, mutatingAdmissionPolicyBindings as Descriptor),
  validating: indexOf(validatingAdmissionPolicies as Descriptor, validatingAdmissionPolicyBindings as Descriptor),
}

function hooksOf<T extends PolicyType>(policies: readonly Policies[T][], bindings: readonly Bindings[T][]): readonly PolicyHook<T>[] {
  if (bindings.length === 0) return []
  const byPolicy = Map.groupBy(bindings, ({ spec }) => spec?.policyName ?? "")
  return policies.flatMap((policy) => {
    const bound = byPolicy.get((policy as KubeObject).metadata.name ?? "") ?? []
    if (bound.length === 0) return []
    const own = bound.map((binding) => ({ binding, matches: matcherOf(binding.spec?.matchResources) }))
    return [{ policy, matches: matcherOf(policy.spec?.matchConstraints), bindings: own }]
  })
}

const everyRequest: readonly MatchRule[] = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }]

/** Without rules every request matches that the selectors and exclusions let through. */
function matcherOf({ resourceRules = [], excludeResourceRules, ...rest }: MatchResources = {}): RequestMatcher {
  const rules = resourceRules.length === 0 ? everyRequest : resourceRules
  return requestMatcher({ ...rest, rules, ...(excludeResourceRules && { excludeRules: excludeResourceRules }) })
}
