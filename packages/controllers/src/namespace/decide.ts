import { deepEqual } from "@pilothouse/api"
import type { Namespace, NamespaceStatus } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { deletionBlockers, isBlocked, statusWithConditions } from "./conditions.ts"
import { deleteItems, ofCollection } from "./delete-items.ts"
import { type Content, type Observed, ownFinalizer } from "./observe.ts"
import { deletionAge, isTerminating, type Remaining, remainingContent } from "./remaining.ts"

const defaultSyncPeriod = 300_000

export interface DecideOptions extends Pick<DecideContext, "now"> {
  /** The longest requeue delay in milliseconds: --namespace-sync-period. */
  readonly syncPeriod?: number
}

/**
 * Deletes the content of a namespace (deleteAllContent of upstream's NamespacedResourcesDeleter), pods first; once nothing is left, removes the
 * finalizer of this controller.
 */
export function decide({ namespace, content }: Observed, { now, syncPeriod = defaultSyncPeriod }: DecideOptions): Plan {
  if (content === undefined) return waitForOtherFinalizers(namespace, now)
  const { collections, failed, unreadable } = content
  if (collections.length === 0 && failed.length === 0 && unreadable.length === 0) return finalize(namespace, content)
  const built = plan()
  for (const collection of collections) deleteItems(built, collection, namespace)
  const remaining = remainingContent(content, namespace, now)
  reportStatus(built, namespace, statusNow(namespace, content, remaining, now))
  for (const resource of remaining.resources) built.waitFor(resource)
  const again = nextRequeue(namespace, content, remaining, now)
  return built.requeueAfter(Math.min(again.after, syncPeriod), again.reason)
}

/** Reports conditions only for content that remains after an earlier delete: usually it is gone a moment later, and the namespace with it. */
function statusNow(namespace: Namespace, content: Content, remaining: Remaining, now: number): NamespaceStatus {
  const trouble = deletionBlockers(content, remaining)
  return isBlocked(trouble) ? statusWithConditions(namespace, trouble, now) : { ...namespace.status, phase: "Terminating" }
}

interface Requeue {
  readonly after: number
  readonly reason: string
}

/** Half of the estimate for pods and finalizers plus a second. Otherwise soon at first, then less often, at least every minute. */
function nextRequeue(namespace: Namespace, content: Content, { estimate, unexpected }: Remaining, now: number): Requeue {
  const soon = Math.min(60_000, Math.max(1000, deletionAge(namespace, now) / 2))
  const fresh = content.collections.some(({ items }) => !items.every(isTerminating))
  if (fresh) return { after: soon, reason: "the deleted objects may be gone then" }
  if (unexpected.length + content.failed.length + content.unreadable.length > 0)
    return { after: soon, reason: "the errors may be resolved then" }
  return { after: (Math.floor(estimate / 2) + 1) * 1000, reason: `what is left may need ${estimate} s` }
}

/** Removes only the finalizer of this controller; without any left the server deletes the namespace. */
function finalize(namespace: Namespace, { unlistable }: Content): Plan {
  const built = plan()
  for (const of of unlistable) {
    built.operation({
      ...ofCollection(of, namespace),
      tolerate: ["NotFound", "MethodNotAllowed"],
      reason: "the objects cannot be listed",
    })
  }
  if (unlistable.length > 0) built.nextStep()
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== ownFinalizer)
  const object: Namespace = { ...namespace, spec: { ...namespace.spec, finalizers } }
  return built.operation({ do: "update", subresource: "finalize", object, reason: "the namespace is empty", tolerate: ["NotFound"] })
}

/** The namespace is empty but has other finalizers: it stays until they are removed, and its condition names them. */
function waitForOtherFinalizers(namespace: Namespace, now: number): Plan {
  const others = [...(namespace.spec?.finalizers ?? []), ...(namespace.metadata.finalizers ?? [])]
  if (others.length === 0) return plan().nothing("the namespace is empty and is being deleted")
  const built = plan().waitFor(`the finalizers ${others.join(", ")}`)
  const finalizers = `The namespace is empty and waits for finalizers of its own: ${others.join(", ")}`
  reportStatus(built, namespace, statusWithConditions(namespace, { finalizers }, now))
  return built.steps.length > 0 ? built : built.nothing(finalizers)
}

/** Plans a status write when the status differs. */
function reportStatus(built: PlanBuilder, namespace: Namespace, status: NamespaceStatus): void {
  if (deepEqual(status, namespace.status)) return
  const trouble = (status.conditions ?? []).filter((condition) => condition.status === "True").map(({ message }) => message)
  const reason = trouble.join("; ") || "the namespace is being emptied"
  built.operation({ do: "status", object: namespace, status, reason, tolerate: ["NotFound"] })
}
