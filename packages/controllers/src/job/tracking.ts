import type { Job, UncountedTerminatedPods } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Ending } from "./ending.ts"
import { completionIndex, hasValidIndex, isIndexed, validIndex } from "./pods/completion-index.ts"
import { judgeFailure } from "./pods/failure-policy.ts"
import { includesIndex } from "./pods/index-ranges.ts"
import { hasPodFailed, hasPodSucceeded } from "./pods/pod-outcome.ts"
import { isTracked } from "./pods/tracking-finalizer.ts"
import type { Tally } from "./tally.ts"

/** Pods that have ended and are not in the counters yet. More of them would make the status larger than 20 kB. */
const maxUncounted = 500

/**
 * How pods get counted, so that a crash at any point loses none and counts none twice: an ended pod is noted in the status as uncounted,
 * then let go, and then moves from uncounted to the counters. A pod that is noted and not tracked any more was let go: it is counted.
 */
export interface Tracking {
  readonly tracked: ReadonlySet<string>
  /** Noted pods that are tracked still, and those to be noted now. */
  readonly uncounted: Required<UncountedTerminatedPods>
  /** Counters of the status, and noted pods that are not tracked any more. */
  readonly succeeded: number
  readonly failed: number
  /** Pods to be let go once they are noted. */
  readonly release: readonly Pod[]
  /** What has to stand in the status before the pods go: uids, which move to the counters after that, or indexes, which stay as they are. */
  readonly notes: { readonly uids: number; readonly indexes: number }
  /** Not all that have ended fit: a Job does not end before they are counted too. */
  readonly full: boolean
}

type Note = "succeeded" | "failed" | "index" | undefined

/** Without `stays` every active pod is taken for stopped where the Job ends. */
export function trackingOf(
  job: Job,
  pods: readonly Pod[],
  tally: Tally,
  ending: Ending | undefined,
  stays: (pod: Pod) => boolean = () => false,
): Tracking {
  const tracked = new Set(pods.filter(isTracked).map(uidOf))
  const { uncounted, known, ...counted } = countedBy(job, tracked)
  const release: Pod[] = []
  const notes = { uids: 0, indexes: 0 }
  for (const pod of inOrder(job, pods)) {
    if (isFull(notes.indexes, uncounted)) break
    if (!tracked.has(uidOf(pod)) || stays(pod) || !mayGo(pod, job, tally, ending)) continue
    release.push(pod)
    const note = known.has(uidOf(pod)) ? undefined : noteOf(pod, job, tally, ending)
    if (note === "index") notes.indexes++
    if (note !== "succeeded" && note !== "failed") continue
    notes.uids++
    uncounted[note].push(uidOf(pod))
  }
  return { tracked, uncounted, ...counted, release, notes, full: isFull(notes.indexes, uncounted) }
}

/** What the status says: of the noted pods those that are tracked still are uncounted, the others are counted. */
function countedBy({ status = {} }: Job, tracked: ReadonlySet<string>) {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const uncounted = { succeeded: stillIn(succeeded, tracked), failed: stillIn(failed, tracked) }
  return {
    uncounted,
    known: new Set([...succeeded, ...failed]),
    succeeded: (status.succeeded ?? 0) + succeeded.length - uncounted.succeeded.length,
    failed: (status.failed ?? 0) + failed.length - uncounted.failed.length,
  }
}

function isFull(indexes: number, { succeeded, failed }: Tracking["uncounted"]): boolean {
  return indexes + succeeded.length + failed.length >= maxUncounted
}

export function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? ""
}

export function stillIn(uids: readonly string[], present: ReadonlySet<string>): string[] {
  return uids.filter((uid) => present.has(uid))
}

/** Indexes are completed in their order. */
function inOrder(job: Job, pods: readonly Pod[]): readonly Pod[] {
  return isIndexed(job) ? [...pods].sort((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1)) : pods
}

/** A pod that failed in an index which goes on is kept until its replacement has its count of failures. */
function mayGo(pod: Pod, job: Job, { indexes }: Tally, ending: Ending | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || ending !== undefined || hasPodSucceeded(pod)) return true
  if (!hasPodFailed(pod, job)) return false
  const index = validIndex(pod, job)
  return index === undefined || indexes?.kept.get(index) !== pod
}

/** Under what a pod is noted: a completed index is a note of its own. Undefined for what does not count, or is completed already. */
function noteOf(pod: Pod, job: Job, { indexes }: Tally, ending: Ending | undefined): Note {
  if (!hasValidIndex(pod, job)) return undefined
  if (hasPodSucceeded(pod)) {
    const index = validIndex(pod, job)
    if (indexes === undefined || index === undefined) return "succeeded"
    return includesIndex(indexes.succeededBefore, index) ? undefined : "index"
  }
  // When a Job has failed, so have the pods that were stopped because of it.
  const failed = hasPodFailed(pod, job) || ending?.type === "FailureTarget"
  return failed && judgeFailure(job, pod).counts ? "failed" : undefined
}
