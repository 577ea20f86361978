import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type KubeOperation, type Plan, type PlanBuilder, plan, rememberFirst } from "@pilothouse/runtime"
import { timeUntilDeadline } from "./ending.ts"
import type { Observed, Work } from "./observe.ts"
import { untrack } from "./pods/tracking-finalizer.ts"
import { statusBeforeRelease } from "./status.ts"
import { type JobSync, releasesLast, syncJob } from "./sync-job.ts"
import { podUid } from "./tracking.ts"

/** Milliseconds within which events become one reconcile, and the shortest delay after a failure. */
export const batchPeriod = 1000

/** Releases orphans and claims pods; then records finished pods and corrects the number of active ones. settle writes the status. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  return rememberFirst(observed.remember === undefined ? [] : [observed.remember], decideJob(observed, now))
}

function decideJob({ orphans, work, idleReason }: Observed, now: number): Plan {
  const built = plan()
  addStep(
    built,
    orphans.map((pod) => untrack(pod, "no Job counts it any more")),
  )
  if (work === undefined) return built.steps.length === 0 ? built.nothing(idleReason) : built
  if (built.steps.length > 0) built.nextStep({ onFailure: "continue" })
  if (!knowsMode(work)) {
    return built.event(work.job, "Warning", "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown")
  }
  // The owned pods are known once the claims are written; the change of the pods enqueues the Job again.
  if (work.claims.length > 0) return addStep(built, work.claims)
  const sync = syncJob(work, now)
  addOperations(built, work, sync, now)
  requeueJob(built, work, sync, now)
  if (work.job.spec?.suspend === true && sync.ending === undefined)
    built.waitFor("spec.suspend to be false: it is suspended and creates no pods")
  return built.steps.length === 0 ? built.nothing(summary(sync)) : built
}

/** Reports whether this reconcile manages the pods of the Job. */
export function isAtWork(observed: Observed): observed is Observed & { readonly work: Work } {
  return observed.work !== undefined && knowsMode(observed.work) && observed.work.claims.length === 0
}

/** Returns, for example, "2 active, 1 ready, 3 succeeded, 0 failed". */
export function summary({ tally: { active, ready, succeeded, failed } }: JobSync): string {
  return `${active.length} active, ${ready} ready, ${succeeded} succeeded, ${failed} failed`
}

function knowsMode({ job }: Work): boolean {
  const mode: string = job.spec?.completionMode ?? "NonIndexed"
  return mode === "NonIndexed" || mode === "Indexed"
}

/**
 * Creates pods whatever else fails. Then stops, records and releases pods, each step only after the one before it succeeded: a pod that was not stopped
 * has not failed. Surplus pods come last, so that a pod that cannot be released holds up no other.
 */
function addOperations(built: PlanBuilder, { job }: Work, sync: JobSync, now: number): void {
  const { ending, stop, management, tracking } = sync
  const { remove = [], create = [], reason = "" } = management ?? {}
  const deletion = (pod: Pod): KubeOperation => ({ do: "delete", object: pod, reason })
  const isTracked = (pod: Pod) => tracking.tracked.has(podUid(pod))
  if (create.length > 0) built.slowStart()
  for (const pod of create) built.create(pod, reason)
  addStages(built, [remove.filter((pod) => !isTracked(pod)).map(deletion)])
  const stopping = stop.map((pod): KubeOperation => ({ do: "delete", object: pod, reason: `the Job ends: ${ending?.message}` }))
  const notes = releasesLast(sync) ? undefined : statusBeforeRelease(job, sync, now)
  const noting = "finished pods are recorded before they are released"
  const released = new Set(releasesLast(sync) ? [] : tracking.release)
  addStages(built, [
    stopping,
    notes === undefined ? [] : [{ do: "status", object: job, status: notes, reason: noting }],
    releases([...released], sync),
  ])
  const superfluous = remove.filter(isTracked)
  const untracking = superfluous.filter((pod) => !released.has(pod)).map((pod) => untrack(pod, reason))
  addStages(built, [untracking, superfluous.map(deletion)])
}

export function releases(pods: readonly Pod[], { ending }: JobSync): readonly KubeOperation[] {
  return pods.map((pod) => untrack(pod, ending === undefined ? "it has finished and is recorded" : "the Job ends, and it is recorded"))
}

/** The first stage starts even if earlier steps of the plan fail; each further stage requires the success of the one before it. */
function addStages(built: PlanBuilder, stages: readonly (readonly KubeOperation[])[]): void {
  const [first, ...others] = stages.filter((operations) => operations.length > 0)
  if (first === undefined) return
  if (built.steps.length > 0) built.nextStep({ onFailure: "continue" })
  for (const operations of [first, ...others]) addStep(built, operations)
}

export function addStep(built: PlanBuilder, operations: readonly KubeOperation[]): PlanBuilder {
  if (operations.length > 0 && (built.steps.at(-1)?.operations.length ?? 0) > 0) built.nextStep()
  for (const operation of operations) built.operation(operation)
  return built
}

function requeueJob(built: PlanBuilder, { job }: Work, { ending, management }: JobSync, now: number): void {
  if (ending !== undefined) return
  const deadline = timeUntilDeadline(job, now) ?? Number.POSITIVE_INFINITY
  const backoff = management?.wait === undefined ? Number.POSITIVE_INFINITY : Math.max(management.wait, batchPeriod)
  if (backoff < deadline) built.requeueAfter(backoff, `pods may be created again then: ${management?.reason}`)
  else if (Number.isFinite(deadline)) built.requeueAfter(deadline, "the deadline of the Job is reached then")
}
