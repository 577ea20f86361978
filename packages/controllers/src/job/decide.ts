import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type KubeOperation, type Plan, type PlanBuilder, plan, rememberFirst } from "@pilothouse/runtime"
import { untilDeadline } from "./ending.ts"
import type { Observed, Work } from "./observe.ts"
import { untrack } from "./pods/tracking-finalizer.ts"
import { notesFirst } from "./status.ts"
import { type Course, courseOf, releasesLast } from "./sync-job.ts"
import { uidOf } from "./tracking.ts"

/** Milliseconds within which wakes become one look, and the shortest wait after a failure. */
export const batch = 1000

/** Lets strays go and claims pods; then notes what has ended and puts the number of pods right. The status is for settle. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  return rememberFirst(observed.remember === undefined ? [] : [observed.remember], decided(observed, now))
}

function decided({ strays, work, rests }: Observed, now: number): Plan {
  const built = plan()
  step(
    built,
    strays.map((pod) => untrack(pod, "no Job counts it any more")),
  )
  if (work === undefined) return built.steps.length === 0 ? built.nothing(rests) : built
  if (built.steps.length > 0) built.nextStep({ onFailure: "continue" })
  if (!knowsMode(work)) {
    return built.event(work.job, "Warning", "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown")
  }
  // What it owns is known once the claims are made: the change of the pods asks for the next look.
  if (work.claims.length > 0) return step(built, work.claims)
  const course = courseOf(work, now)
  carryOut(built, work, course, now)
  askForNextLook(built, work, course, now)
  if (work.job.spec?.suspend === true && course.ending === undefined)
    built.waitFor("spec.suspend to be false: it is suspended, and makes no pods")
  return built.steps.length === 0 ? built.nothing(summary(course)) : built
}

/** Whether the Job's own course is followed in this look. */
export function isAtWork(observed: Observed): observed is Observed & { readonly work: Work } {
  return observed.work !== undefined && knowsMode(observed.work) && observed.work.claims.length === 0
}

/** In words: "2 active, 1 ready, 3 succeeded, 0 failed". */
export function summary({ tally: { active, ready, succeeded, failed } }: Course): string {
  return `${active.length} active, ${ready} ready, ${succeeded} succeeded, ${failed} failed`
}

function knowsMode({ job }: Work): boolean {
  const mode: string = job.spec?.completionMode ?? "NonIndexed"
  return mode === "NonIndexed" || mode === "Indexed"
}

/**
 * Pods are made whatever else is refused. Then stopped, noted, let go: each only when what stands before it was done, as a pod that was not stopped
 * has not failed. Last those that are too many: a pod that cannot be let go keeps none of the others.
 */
function carryOut(built: PlanBuilder, { job }: Work, course: Course, now: number): void {
  const { ending, stop, management, tracking } = course
  const { remove = [], create = [], reason = "" } = management ?? {}
  const deletion = (pod: Pod): KubeOperation => ({ do: "delete", object: pod, reason })
  const isTracked = (pod: Pod) => tracking.tracked.has(uidOf(pod))
  if (create.length > 0) built.slowStart()
  for (const pod of create) built.create(pod, reason)
  inTurn(built, [remove.filter((pod) => !isTracked(pod)).map(deletion)])
  const stopping = stop.map((pod): KubeOperation => ({ do: "delete", object: pod, reason: `the Job ends: ${ending?.message}` }))
  const notes = releasesLast(course) ? undefined : notesFirst(job, course, now)
  const noting = "pods that have ended are noted before they are let go"
  const released = new Set(releasesLast(course) ? [] : tracking.release)
  inTurn(built, [
    stopping,
    notes === undefined ? [] : [{ do: "status", object: job, status: notes, reason: noting }],
    releases([...released], course),
  ])
  const superfluous = remove.filter(isTracked)
  const untracking = superfluous.filter((pod) => !released.has(pod)).map((pod) => untrack(pod, reason))
  inTurn(built, [untracking, superfluous.map(deletion)])
}

export function releases(pods: readonly Pod[], { ending }: Course): readonly KubeOperation[] {
  return pods.map((pod) => untrack(pod, ending === undefined ? "it has ended, and is noted" : "the Job ends, and it is noted"))
}

/** The first does not wait for the success of what the plan has already, each of the others for that of the one before it. */
function inTurn(built: PlanBuilder, stages: readonly (readonly KubeOperation[])[]): void {
  const [first, ...others] = stages.filter((operations) => operations.length > 0)
  if (first === undefined) return
  if (built.steps.length > 0) built.nextStep({ onFailure: "continue" })
  for (const operations of [first, ...others]) step(built, operations)
}

export function step(built: PlanBuilder, operations: readonly KubeOperation[]): PlanBuilder {
  if (operations.length > 0 && (built.steps.at(-1)?.operations.length ?? 0) > 0) built.nextStep()
  for (const operation of operations) built.operation(operation)
  return built
}

function askForNextLook(built: PlanBuilder, { job }: Work, { ending, management }: Course, now: number): void {
  if (ending !== undefined) return
  const deadline = untilDeadline(job, now) ?? Number.POSITIVE_INFINITY
  const backoff = management?.wait === undefined ? Number.POSITIVE_INFINITY : Math.max(management.wait, batch)
  if (backoff < deadline) built.requeueAfter(backoff, `pods may be made again then: ${management?.reason}`)
  else if (Number.isFinite(deadline)) built.requeueAfter(deadline, "the time that the Job may be active is over then")
}
