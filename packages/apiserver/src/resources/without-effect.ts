import { type Descriptor, deepEqual, type KubeObject } from "@pilothouse/api"

/** What of a kind is stored and has no effect yet. */
export interface WithoutEffect {
  /** One sentence for the client that writes it. */
  readonly warning: string
}

const rights = "rights are not enforced, so every authenticated user may do everything"

/**
 * Kinds that clients write to protect or to extend a cluster and that do nothing here: accepted silently, they would look as if they did.
 * One row for each resource; the change that implements one deletes its row.
 */
const withoutEffect: Readonly<Record<string, WithoutEffect>> = {
  "rbac.authorization.k8s.io/roles": row("Role", rights),
  "rbac.authorization.k8s.io/clusterroles": row("ClusterRole", rights),
  "rbac.authorization.k8s.io/rolebindings": row("RoleBinding", rights),
  "rbac.authorization.k8s.io/clusterrolebindings": row("ClusterRoleBinding", rights),
  "networking.k8s.io/networkpolicies": row(
    "NetworkPolicy",
    "Pilothouse blocks no traffic, so pods stay reachable unless a network plugin of your own enforces it",
  ),
  "flowcontrol.apiserver.k8s.io/flowschemas": row("FlowSchema", "requests are not classified by it"),
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": row("PriorityLevelConfiguration", "requests are not limited by it"),
}

/** The row of a kind, found once when its resource is defined: other kinds pay nothing. */
export function withoutEffectOf({ group, plural }: Pick<Descriptor, "group" | "plural">): WithoutEffect | undefined {
  const key = `${group}/${plural}`
  return Object.hasOwn(withoutEffect, key) ? withoutEffect[key] : undefined
}

/** The warning for a write, unless it leaves everything but the metadata and the status as it was: labels on a Role change nothing. */
export function effectWarning({ warning }: WithoutEffect, object: KubeObject, old?: KubeObject): string | undefined {
  return old !== undefined && deepEqual(allButMetadata(object), allButMetadata(old)) ? undefined : warning
}

function row(kind: string, consequence: string): WithoutEffect {
  return { warning: `${kind} is stored but has no effect yet: ${consequence}` }
}

function allButMetadata({
  apiVersion: _apiVersion,
  kind: _kind,
  metadata: _metadata,
  ...rest
}: KubeObject & { status?: unknown }): unknown {
  const { status: _status, ...written } = rest
  return written
}
