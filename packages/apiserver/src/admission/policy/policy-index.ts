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
import { listPrefix } from "../../registry/object-key.ts"
import type { Registry } from "../../registry/registry.ts"
import type { Storage } from "../../storage/storage.ts"
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

const kinds: Readonly<Record<PolicyType, readonly [Descriptor, Descriptor]>> = {
  mutating: [mutatingAdmissionPolicies as Descriptor, mutatingAdmissionPolicyBindings as Descriptor],
  validating: [validatingAdmissionPolicies as Descriptor, validatingAdmissionPolicyBindings as Descriptor],
}

/**
 * The policies of one type that have bindings, by name.
 *
 * Always true between calls: `#found` is undefined, or is what the stored policies and bindings say.
 */
class PolicyIndex<T extends PolicyType> {
  readonly #read: () => readonly PolicyHook<T>[]
  #found: readonly PolicyHook<T>[] | undefined

  constructor(storage: Storage, registry: Registry, type: T) {
    const [policies, bindings] = kinds[type].map((descriptor) => listPrefix(registry.served(descriptor), undefined)) as [string, string]
    const list = <O>(prefix: string): O[] => storage.list(prefix).items.map(({ value }) => value as O)
    this.#read = () => hooksOf(list<Policies[T]>(policies), list<Bindings[T]>(bindings))
    for (const prefix of [policies, bindings]) {
      storage.watch(prefix, storage.revision, () => {
        this.#found = undefined
      })
    }
  }

  get hooks(): readonly PolicyHook<T>[] {
    this.#found ??= this.#read()
    return this.#found
  }
}

/** Begin with the first write of a server; nothing else is loaded until a policy has a binding. */
const indexes: { readonly [T in PolicyType]: WeakMap<Storage, PolicyIndex<T>> } = { mutating: new WeakMap(), validating: new WeakMap() }

/** Returns the policies of a server that have bindings; empty where there are none. */
export function policiesFor<T extends PolicyType>(
  { storage, registry }: { readonly storage: Storage; readonly registry: Registry },
  type: T,
): readonly PolicyHook<T>[] {
  const known = indexes[type] as WeakMap<Storage, PolicyIndex<T>>
  let index = known.get(storage)
  if (index === undefined) known.set(storage, (index = new PolicyIndex(storage, registry, type)))
  return index.hooks
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
