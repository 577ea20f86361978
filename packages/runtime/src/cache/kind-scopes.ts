import { type Descriptor, type KubeObject, matchesLabels, parseLabelSelector, resourceNameOf } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { WatchScope } from "../watch/watch-source.ts"

/** The objects of a kind that are cached; others do not exist for the controllers. */
export interface KindScope extends Pick<WatchScope, "namespace" | "labelSelector" | "fieldSelector"> {
  readonly of: Descriptor
}

/** Which part of the cluster is cached. */
export interface ScopeOptions {
  /** The one namespace to watch: a Role in it is enough. Cluster-scoped kinds are cached whole. All namespaces by default. */
  readonly namespace?: string
  /** The scope of single kinds: `{ of: secrets, labelSelector: "app=web" }`. All of them by default. */
  readonly scopes?: readonly KindScope[]
}

/** Returns a function from a kind to its scope. Throws for a scope that matches nothing. */
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

/** Reports whether a cache of this scope contains a created object. Field selectors are not evaluated: only the server can. */
export function isInScope({ metadata }: Pick<KubeObject, "metadata">, { namespace, labelSelector }: WatchScope): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  return labelSelector === undefined || matchesLabels(parseLabelSelector(labelSelector), metadata.labels ?? {})
}
