import type { Namespace, NamespaceStatus } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, plan } from "@pilothouse/runtime"
import { statusWith } from "./conditions.ts"
import { deleteItems } from "./delete-items.ts"
import { finalize, waitForOthers } from "./finalize.ts"
import type { Content, Observed } from "./observe.ts"
import { ageOf, isGoing, type Remaining, remainingOf } from "./remaining.ts"
import { reportStatus } from "./report-status.ts"
import { isTroubled, troubleOf } from "./trouble.ts"

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
