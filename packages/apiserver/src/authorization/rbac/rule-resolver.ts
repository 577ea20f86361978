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
import { objectKey } from "../../objects/key.ts"
import type { Registry } from "../../resources/registry.ts"
import type { Change, Storage, Stored } from "../../storage/storage.ts"
import type { Identity } from "../authorizer.ts"
import { appliesTo, type Binding, BindingIndex } from "./binding-index.ts"

/** The rules that a binding grants, or why there are none. */
export type BoundRules =
  | { readonly binding: Binding; readonly rules: readonly PolicyRule[] }
  | { readonly binding: Binding; readonly error: string }

/** What a RuleResolver reads. */
export interface RuleSources {
  readonly storage: Storage
  readonly registry: Pick<Registry, "of">
}

/**
 * Finds the rules that apply to a user. Bindings are indexed by subject and follow the storage with each commit; roles are read from the storage when
 * a decision meets them.
 *
 * Always true between calls: the index holds the bindings that can be read from the storage, and no others.
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

  /** Yields what each binding of a user grants in a namespace; "" is the whole cluster. */
  *of(who: Identity, namespace: string): Generator<BoundRules> {
    for (const binding of this.#index.of(who, namespace)) {
      const found = this.rulesOf(binding.roleRef, binding.metadata.namespace ?? "")
      yield typeof found === "string" ? { binding, error: found } : { binding, rules: found }
    }
  }

  /** Returns the rules of a role that a binding refers to, or upstream's words for a role that is not there. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | string {
    if (kind !== "Role" && kind !== "ClusterRole") return `unsupported role reference kind: ${quoted(kind)}`
    const key = kind === "Role" ? objectKey(this.#kept.roles, namespace, name) : objectKey(this.#kept.clusterRoles, undefined, name)
    const role = this.#storage.get(key)?.value as unknown as Role | ClusterRole | undefined
    return role === undefined ? `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quoted(name)} not found` : (role.rules ?? [])
  }

  [Symbol.dispose](): void {
    this.#watches.dispose()
  }
}

function bindingIn({ value }: Stored): Binding {
  return value as unknown as Binding
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
