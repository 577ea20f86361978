import type { Job, UncountedTerminatedPods } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Ending } from "./ending.ts"
import { completionIndex, hasValidIndex, isIndexed, validIndex } from "./pods/completion-index.ts"
import { judgeFailure } from "./pods/failure-policy.ts"
import { includesIndex } from "./pods/index-ranges.ts"
import { hasPodFailed, hasPodSucceeded } from "./pods/pod-outcome.ts"
import { isTracked } from "./pods/tracking-finalizer.ts"
import type { Tally } from "./tally.ts"

/** The most finished pods that are not counted yet. More of them would make the status larger than 20 kB. */
const maxUncounted = 500

/**
 * How pods are counted, so that a crash at any point loses none and counts none twice: a finished pod is recorded in the status as uncounted,
 * then released, and then moves from uncounted to the counters. A recorded pod that is not tracked any more was released: it is counted.
 */
export interface Tracking {
  readonly tracked: ReadonlySet<string>
  /** Recorded pods that are still tracked, and those to record now. */
  readonly uncounted: Required<UncountedTerminatedPods>
  /** Counters of the status plus recorded pods that are not tracked any more. */
  readonly succeeded: number
  readonly failed: number
  /** Pods to release once they are recorded. */
  readonly release: readonly Pod[]
  /** What the status must record before the pods are released: UIDs, which move to the counters afterwards, or indexes, which stay. */
  readonly notes: { readonly uids: number; readonly indexes: number }
  /** Not all finished pods fit into the status: the Job does not finish before they are counted too. */
  readonly full: boolean
}

type Note = "succeeded" | "failed" | "index" | undefined

/** Without `stays` every active pod counts as stopped when the Job ends. */
export function trackPods(
  job: Job,
  pods: readonly Pod[],
  tally: Tally,
  ending: Ending | undefined,
  stays: (pod: Pod) => boolean = () => false,
): Tracking {
  const tracked = new Set(pods.filter(isTracked).map(podUid))
  const { uncounted, known, ...counted } = countedInStatus(job, tracked)
  const release: Pod[] = []
  const notes = { uids: 0, indexes: 0 }
  for (const pod of inOrder(job, pods)) {
    if (isFull(notes.indexes, uncounted)) break
    if (!tracked.has(podUid(pod)) || stays(pod) || !canRelease(pod, job, tally, ending)) continue
    release.push(pod)
    const note = known.has(podUid(pod)) ? undefined : noteFor(pod, job, tally, ending)
    if (note === "index") notes.indexes++
    if (note !== "succeeded" && note !== "failed") continue
    notes.uids++
    uncounted[note].push(podUid(pod))
  }
  return { tracked, uncounted, ...counted, release, notes, full: isFull(notes.indexes, uncounted) }
}

/** Reads the status: recorded pods that are still tracked are uncounted, the others are counted. */
function countedInStatus({ status = {} }: Job, tracked: ReadonlySet<string>) {
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

export function podUid({ metadata }: Pod): string {
  return metadata.uid ?? ""
}

export function stillIn(uids: readonly string[], present: ReadonlySet<string>): string[] {
  return uids.filter((uid) => present.has(uid))
}

/** Indexes are completed in ascending order. */
function inOrder(job: Job, pods: readonly Pod[]): readonly Pod[] {
  return isIndexed(job) ? [...pods].sort((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1)) : pods
}

/** Reports whether the pod can be released. A failed pod of an index that continues is retained until its replacement has its failure count. */
function canRelease(pod: Pod, job: Job, { indexes }: Tally, ending: Ending | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || ending !== undefined || hasPodSucceeded(pod)) return true
  if (!hasPodFailed(pod, job)) return false
  const index = validIndex(pod, job)
  return index === undefined || indexes?.retained.get(index) !== pod
}

/**
 * Returns how the pod is recorded; a completed index is its own record. Undefined for a pod that does not count or whose index is completed already.
 */
function noteFor(pod: Pod, job: Job, { indexes }: Tally, ending: Ending | undefined): Note {
  if (!hasValidIndex(pod, job)) return undefined
  if (hasPodSucceeded(pod)) {
    const index = validIndex(pod, job)
    if (indexes === undefined || index === undefined) return "succeeded"
    return includesIndex(indexes.succeededBefore, index) ? undefined : "index"
  }
  // When a Job has failed, the pods that it stopped have failed too.
  const failed = hasPodFailed(pod, job) || ending?.type === "FailureTarget"
  return failed && judgeFailure(job, pod).counts ? "failed" : undefined
}
