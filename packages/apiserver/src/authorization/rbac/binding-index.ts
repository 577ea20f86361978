import type { KubeObject } from "@pilothouse/api"
import type { ClusterRoleBinding, RoleBinding, Subject } from "@pilothouse/api/rbac/v1"
import type { Identity } from "../authorizer.ts"

export type Binding = RoleBinding | ClusterRoleBinding

/** Bindings by subject: "ualice" or "gsystem:masters". */
type BySubject = Map<string, Binding[]>

/**
 * Role bindings by namespace and subject, so that a decision visits the bindings of its own user and groups only.
 *
 * Invariant: a binding stands under each of its subjects once; no list and no namespace is empty. "" is the namespace of
 * ClusterRoleBindings.
 */
export class BindingIndex {
  readonly #namespaces = new Map<string, BySubject>()

  add(binding: Binding): void {
    const { namespace = "" } = binding.metadata
    const bySubject = this.#namespaces.get(namespace) ?? new Map<string, Binding[]>()
    const keys = keysOf(binding)
    if (keys.size > 0) this.#namespaces.set(namespace, bySubject)
    for (const key of keys) {
      const list = bySubject.get(key)
      if (list === undefined) bySubject.set(key, [binding])
      else list.push(binding)
    }
  }

  /** Takes the same object that was added. */
  remove(binding: Binding): void {
    const { namespace = "" } = binding.metadata
    const bySubject = this.#namespaces.get(namespace)
    if (bySubject === undefined) return
    for (const key of keysOf(binding)) {
      const rest = (bySubject.get(key) ?? []).filter((one) => one !== binding)
      if (rest.length > 0) bySubject.set(key, rest)
      else bySubject.delete(key)
    }
    if (bySubject.size === 0) this.#namespaces.delete(namespace)
  }

  /** Returns the bindings that apply to a user in a namespace, each once: those of the cluster first. */
  of(who: Identity, namespace: string): readonly Binding[] {
    const cluster = this.#under("", who)
    if (namespace === "") return cluster
    const own = this.#under(namespace, who)
    if (own.length === 0) return cluster
    return cluster.length === 0 ? own : [...cluster, ...own]
  }

  #under(namespace: string, { name, groups }: Identity): readonly Binding[] {
    const bySubject = this.#namespaces.get(namespace)
    if (bySubject === undefined) return none
    let found = bySubject.get(`u${name}`) ?? none
    for (const group of groups) {
      const more = bySubject.get(`g${group}`)
      // A binding with several subjects may be met again.
      if (more !== undefined) found = found.length === 0 ? more : [...new Set([...found, ...more])]
    }
    return found
  }
}

const none: readonly Binding[] = []

/** Reports whether a subject of a binding stands for a user; `namespace` is that of the binding. */
export function appliesTo(subject: Subject, who: Identity, namespace: string): boolean {
  const key = keyOf(subject, namespace)
  return key !== undefined && (key === `u${who.name}` || (key[0] === "g" && who.groups.includes(key.slice(1))))
}

function keysOf({ subjects = [], metadata: { namespace = "" } }: Binding & KubeObject): ReadonlySet<string> {
  return new Set(subjects.flatMap((subject) => keyOf(subject, namespace) ?? []))
}

/** A service account is the user that its tokens name. Without a namespace of its own it is in that of its binding. */
function keyOf({ kind, name, namespace = "" }: Subject, bindingNamespace: string): string | undefined {
  if (kind === "User") return `u${name}`
  if (kind === "Group") return `g${name}`
  const place = namespace === "" ? bindingNamespace : namespace
  return kind === "ServiceAccount" && place !== "" ? `usystem:serviceaccount:${place}:${name}` : undefined
}
