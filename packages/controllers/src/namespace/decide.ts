import { deepEqual } from "@pilothouse/api"
import type { Namespace, NamespaceStatus } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { isTroubled, statusWith, troubleOf } from "./conditions.ts"
import { deleteItems, ofCollection } from "./delete-items.ts"
import { type Content, type Observed, ownFinalizer } from "./observe.ts"
import { ageOf, isGoing, type Remaining, remainingOf } from "./remaining.ts"

const defaultSyncPeriod = 300_000

export interface DecideOptions extends Pick<DecideContext, "now"> {
  /** At the latest after so many milliseconds it is looked at again: --namespace-sync-period. */
  readonly syncPeriod?: number
}

/** Deletes what is there, pods before all else; once nothing is left, takes our finalizer away. */
export function decide({ namespace, content }: Observed, { now, syncPeriod = defaultSyncPeriod }: DecideOptions): Plan {
  if (content === undefined) return waitForOthers(namespace, now)
  const { collections, failed, unreadable } = content
  if (collections.length === 0 && failed.length === 0 && unreadable.length === 0) return finalize(namespace, content)
  const built = plan()
  for (const collection of collections) deleteItems(built, collection, namespace)
  const remaining = remainingOf(content, namespace, now)
  reportStatus(built, namespace, statusNow(namespace, content, remaining, now))
  for (const resource of remaining.resources) built.waitFor(resource)
  const again = lookAgain(namespace, content, remaining, now)
  return built.requeueAfter(Math.min(again.after, syncPeriod), again.reason)
}

/** Nothing is said of what is deleted for the first time now: usually it is gone the next moment, and the namespace with it. */
function statusNow(namespace: Namespace, content: Content, remaining: Remaining, now: number): NamespaceStatus {
  const trouble = troubleOf(content, remaining)
  return isTroubled(trouble) ? statusWith(namespace, trouble, now) : { ...namespace.status, phase: "Terminating" }
}

interface Again {
  readonly after: number
  readonly reason: string
}

/** Half of what pods and finalizers may take, and a second. For the rest: soon at first, then more and more rarely, at least every minute. */
function lookAgain(namespace: Namespace, content: Content, { estimate, unexpected }: Remaining, now: number): Again {
  const soon = Math.min(60_000, Math.max(1000, ageOf(namespace, now) / 2))
  const fresh = content.collections.some(({ items }) => !items.every(isGoing))
  if (fresh) return { after: soon, reason: "what was deleted may be gone then" }
  if (unexpected.length + content.failed.length + content.unreadable.length > 0)
    return { after: soon, reason: "the trouble may be over then" }
  return { after: (Math.floor(estimate / 2) + 1) * 1000, reason: `what is left may need ${estimate} s` }
}

/** Takes our finalizer away and nobody else's; without any left the server removes the namespace. */
function finalize(namespace: Namespace, { blind }: Content): Plan {
  const built = plan()
  for (const of of blind) {
    built.operation({
      ...ofCollection(of, namespace),
      tolerate: ["NotFound", "MethodNotAllowed"],
      reason: "it cannot be seen whether there are any",
    })
  }
  if (blind.length > 0) built.nextStep()
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== ownFinalizer)
  const object: Namespace = { ...namespace, spec: { ...namespace.spec, finalizers } }
  return built.operation({ do: "update", subresource: "finalize", object, reason: "the namespace is empty", tolerate: ["NotFound"] })
}

/** We are done, and somebody else is not: the namespace stays until they are, and says whom it waits for. */
function waitForOthers(namespace: Namespace, now: number): Plan {
  const others = [...(namespace.spec?.finalizers ?? []), ...(namespace.metadata.finalizers ?? [])]
  if (others.length === 0) return plan().nothing("the namespace is empty and goes")
  const built = plan().waitFor(`the finalizers ${others.join(", ")}`)
  const finalizers = `The namespace is empty and waits for finalizers of its own: ${others.join(", ")}`
  reportStatus(built, namespace, statusWith(namespace, { finalizers }, now))
  return built.steps.length > 0 ? built : built.nothing(finalizers)
}

/** Writes the status where it is not what is there. */
function reportStatus(built: PlanBuilder, namespace: Namespace, status: NamespaceStatus): void {
  if (deepEqual(status, namespace.status)) return
  const trouble = (status.conditions ?? []).filter((condition) => condition.status === "True").map(({ message }) => message)
  const reason = trouble.join("; ") || "the namespace is being emptied"
  built.operation({ do: "status", object: namespace, status, reason, tolerate: ["NotFound"] })
}
