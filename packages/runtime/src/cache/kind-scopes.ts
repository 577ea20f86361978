import { type Descriptor, type KubeObject, matchesLabels, parseLabelSelector, resourceNameOf } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { WatchScope } from "../watch/watch-source.ts"

/** Which objects of a kind are cached; the others are as if they were not there. */
export interface KindScope extends Pick<WatchScope, "namespace" | "labelSelector" | "fieldSelector"> {
  readonly of: Descriptor
}

/** Which part of the cluster is cached. */
export interface ScopeOptions {
  /** The one namespace to look at: a Role in it is enough. Kinds without namespaces are seen whole. All namespaces unless told otherwise. */
  readonly namespace?: string
  /** Of single kinds, which objects: `{ of: secrets, labelSelector: "app=web" }`. All of them unless told otherwise. */
  readonly scopes?: readonly KindScope[]
}

/** Gives the scope of each kind. Refuses what would see nothing, and say nothing of it. */
export function scopesOf({ namespace, scopes = [] }: ScopeOptions): (of: Descriptor) => WatchScope {
  if (namespace === "") throw new PilothouseError("INVALID", 'expected a namespace, found ""; leave it out to see all of them')
  for (const scope of scopes) check(scope)
  return (of) => {
    const { of: _, ...own } = scopes.find((scope) => scope.of.plural === of.plural && scope.of.group === of.group) ?? { of }
    return namespace !== undefined && of.namespaced ? { namespace, ...own } : own
  }
}

function check({ of, namespace, labelSelector }: KindScope): void {
  if (labelSelector !== undefined) parseLabelSelector(labelSelector)
  if (namespace === undefined || of.namespaced) return
  const what = resourceNameOf(of)
  throw new PilothouseError(
    "INVALID",
    `expected no namespace in the scope of ${what}, which belong to the whole cluster, found "${namespace}"`,
  )
}

/** Whether a cache of this scope comes to show an object that was made. What fields say of it only the server knows. */
export function isInScope({ metadata }: Pick<KubeObject, "metadata">, { namespace, labelSelector }: WatchScope): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  return labelSelector === undefined || matchesLabels(parseLabelSelector(labelSelector), metadata.labels ?? {})
}
