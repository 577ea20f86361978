import { quoted } from "@pilothouse/api"
import {
  type ClusterRole,
  clusterRoleBindings,
  clusterRoles,
  type PolicyRule,
  type Role,
  type RoleRef,
  roleBindings,
  roles,
  type Subject,
} from "@pilothouse/api/rbac/v1"
import { objectKey } from "../../registry/object-key.ts"
import type { Registry } from "../../registry/registry.ts"
import type { Change, Storage, Stored } from "../../storage/storage.ts"
import type { Identity } from "../authorizer.ts"
import { appliesTo, type Binding, BindingIndex } from "./binding-index.ts"

/** What a RuleResolver reads. */
export interface RuleSources {
  readonly storage: Storage
  readonly registry: Pick<Registry, "of">
}

/**
 * Finds the rules that apply to a user. Bindings are indexed by subject and follow the storage with each commit; roles are read from the storage when
 * a decision meets them.
 *
 * Invariant: the index holds the bindings that can be read from the storage, and no others.
 */
export class RuleResolver implements Disposable {
  readonly #storage: Storage
  readonly #kept: Readonly<Record<"roles" | "clusterRoles", { readonly stored: { readonly prefix: string } }>>
  readonly #index = new BindingIndex()
  readonly #watches = new DisposableStack()

  constructor({ storage, registry }: RuleSources) {
    this.#storage = storage
    this.#kept = { roles: registry.of(roles), clusterRoles: registry.of(clusterRoles) }
    for (const { prefix } of [registry.of(roleBindings).stored, registry.of(clusterRoleBindings).stored]) {
      const { items, revision } = storage.list(prefix)
      for (const { value } of items) this.#index.add(value as unknown as Binding)
      this.#watches.use(storage.watch(prefix, revision, (change) => this.#follow(change)))
    }
  }

  #follow({ type, value, previous }: Change): void {
    if (previous !== undefined) this.#index.remove(bindingIn(previous))
    if (type === "put") this.#index.add(value as unknown as Binding)
  }

  /** Returns the bindings of a user in a namespace; "" is the whole cluster. */
  bindingsOf(who: Identity, namespace: string): readonly Binding[] {
    return this.#index.of(who, namespace)
  }

  /** Returns what a binding grants; undefined where its role does not exist. */
  rulesBy({ roleRef, metadata }: Binding): readonly PolicyRule[] | undefined {
    return this.rulesOf(roleRef, metadata.namespace ?? "")
  }

  /** Returns the rules of the role that a binding in a namespace refers to; undefined where there is no such role. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const key = kind === "Role" ? objectKey(this.#kept.roles, namespace, name) : objectKey(this.#kept.clusterRoles, undefined, name)
    const role = this.#storage.get(key)?.value as unknown as Role | ClusterRole | undefined
    return role && (role.rules ?? [])
  }

  [Symbol.dispose](): void {
    this.#watches.dispose()
  }
}

function bindingIn({ value }: Stored): Binding {
  return value as unknown as Binding
}

/** Returns every rule that applies to a user in a namespace, and the roles that bindings refer to and that do not exist. */
export function rulesFor(
  resolver: RuleResolver,
  who: Identity,
  namespace: string,
): { readonly rules: PolicyRule[]; readonly missing: RoleRef[] } {
  const [rules, missing]: [PolicyRule[], RoleRef[]] = [[], []]
  for (const binding of resolver.bindingsOf(who, namespace)) {
    const granted = resolver.rulesBy(binding)
    if (granted === undefined) missing.push(binding.roleRef)
    else for (const rule of granted) rules.push(rule)
  }
  return { rules, missing }
}

/** Returns a binding in upstream's words: `RoleBinding "b/ns" of Role "r" to User "u"`, with the first subject that stands for the user. */
export function describeBinding({ metadata, roleRef, subjects = [] }: Binding, who: Identity): string {
  const { name = "", namespace = "" } = metadata
  const title = namespace === "" ? `ClusterRoleBinding ${quoted(name)}` : `RoleBinding ${quoted(`${name}/${namespace}`)}`
  const subject = subjects.find((one) => appliesTo(one, who, namespace))!
  return `${title} of ${roleRef.kind} ${quoted(roleRef.name)} to ${describeSubject(subject, namespace)}`
}

function describeSubject({ kind, name, namespace = "" }: Subject, bindingNamespace: string): string {
  const place = namespace === "" ? bindingNamespace : namespace
  return `${kind} ${quoted(kind === "ServiceAccount" ? `${name}/${place}` : name)}`
}
