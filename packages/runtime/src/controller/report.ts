import { isConflict } from "@pilothouse/api"
import { type Log, type LogFields, messageOf } from "@pilothouse/seams"
import { describePlan } from "./describe-plan.ts"
import { type FollowUp, isUnexpected } from "./follow-up.ts"
import { isRememberOperation } from "./plan/plan.ts"
import type { Outcome } from "./reconcile.ts"
import type { ReconcileMetrics } from "./reconcile-metrics.ts"
import type { Trace } from "./trace.ts"

/** One look at a key, when it is over. */
export interface ReconcileReport {
  readonly key: string
  readonly at: number
  readonly causes: readonly string[]
  readonly outcome: Outcome
  readonly next: FollowUp
  /** When the next one is due; left out where only a change brings it. */
  readonly nextAt?: number
  readonly milliseconds: number
  /** It was ended in the middle, because everything is being stopped. */
  readonly cut: boolean
}

export interface ReporterOptions {
  readonly controller: string
  readonly log: Log
  readonly trace: Trace
  readonly metrics: ReconcileMetrics
  readonly dryRun: boolean
}

/** Tells log, trace and metrics what became of a look. */
export function reporter(options: ReporterOptions): (report: ReconcileReport) => void {
  const { controller, log, trace, metrics } = options
  const conflicts = consecutiveCounter()
  const failures = consecutiveCounter()
  const repeats = repeatCounter()
  return (look) => {
    const { key, at, causes, outcome, next, nextAt, milliseconds, cut } = look
    const { plan, settled, results, observed, error } = outcome
    const failure = error === undefined ? undefined : messageOf(error)
    const failed = failures(key, error !== undefined)
    const course = {
      ...(failed > 0 && { failures: failed }),
      ...(failed > 0 && nextAt === undefined && !cut && { givenUp: true as const }),
      nextAt,
    }
    const conflict = isConflict(error) ? { conflict: true as const } : {}
    trace.record({ controller, key, at, causes, observed, plan, settled, results, error: failure, ...conflict, ...course, milliseconds })
    if (!cut) metrics.ended({ next, error, milliseconds })
    logPlan(look, options)
    const inARow = conflicts(key, isConflict(error))
    const times = repeats(key, failure)
    if (error === undefined || cut) return
    // The plan of a failure that is as before was told with the first.
    const isReported = times > 1 && !isConflict(error)
    const done = plan === undefined || results.length === 0 || isReported ? {} : { causes, plan: describePlan(plan, results) }
    logFailure(log, next, { error, conflicts: inARow, times }, { controller, key, error: failure, ...done })
  }
}

/** Counts how often something was so in a row, by key. Always true between calls: has the keys of which it was so the last time. */
function consecutiveCounter(): (key: string, isSo: boolean) => number {
  const counts = new Map<string, number>()
  return (key, isSo) => {
    const inARow = isSo ? (counts.get(key) ?? 0) + 1 : 0
    if (isSo) counts.set(key, inARow)
    else counts.delete(key)
    return inARow
  }
}

/**
 * Counts how often the last failure of a key was the same in a row. The name of what was refused does not count: a pod that a quota does not let in
 * has another one each time. Always true between calls: has the keys whose last look failed, with how.
 */
function repeatCounter(): (key: string, failure: string | undefined) => number {
  const last = new Map<string, { readonly how: string; readonly times: number }>()
  return (key, failure) => {
    const how = failure && withoutRefusedNames(failure)
    if (how === undefined) last.delete(key)
    else last.set(key, { how, times: last.get(key)?.how === how ? last.get(key)!.times + 1 : 1 })
    return last.get(key)?.times ?? 0
  }
}

/** `pods "web-x2z" is forbidden: …`, wherever that name is said. Other names stay: whoever has made the one that was missing wants to hear of the next. */
function withoutRefusedNames(failure: string): string {
  const refused = new Set(Array.from(failure.matchAll(/("[^"]*") is (?:forbidden|invalid)\b/g), ([, name]) => name!))
  let rest = failure
  for (const name of refused) rest = rest.replaceAll(name, '""')
  return rest
}

function logPlan({ key, causes, outcome, cut }: ReconcileReport, { controller, log, dryRun }: ReporterOptions): void {
  const { plan, results, error } = outcome
  if (plan === undefined) return
  // What is only remembered, of every heartbeat say, is for the trace.
  if (results.some(({ operation }) => !isRememberOperation(operation))) {
    const about = { controller, key, causes, plan: describePlan(plan, dryRun ? [] : results) }
    if (dryRun) log.info("would do this, but this is a dry run", about)
    // What failed is told once, as a failure, with all of this.
    else if (error === undefined || cut) log.info("reconciled", about)
    return
  }
  // Of every heartbeat too: whoever wants to see that a loop looks at all asks for it.
  if (error === undefined) log.debug("looked, and found nothing to do", { controller, key, reason: plan.summary })
}

/** So many in a row are no longer the cache that was a moment behind. */
const lastingConflict = 5

/** What is the same again and again is said so often only: whoever reads the first line knows it. */
const repeatsPerWarning = 10

interface Failure {
  readonly error: unknown
  readonly conflicts: number
  /** How often it was the same in a row. */
  readonly times: number
}

function logFailure(log: Log, next: FollowUp, { error, conflicts, times }: Failure, about: LogFields): void {
  if (next.do === "give-up") log.error("reconcile failed and is not retried until the object changes", about)
  else if (isUnexpected(error))
    log.error("reconcile threw, trying again", { ...about, stack: error instanceof Error ? error.stack : undefined })
  else if (next.do === "retry-after") log.info("reconcile has to wait, trying again then", { ...about, after: next.after })
  // A conflict says that the cache was a moment behind: usual, and mended by the next look.
  else if (isConflict(error) && conflicts < lastingConflict) log.debug("reconcile failed, trying again", about)
  else if (times > 1 && !isConflict(error))
    log[times % repeatsPerWarning === 0 ? "warn" : "debug"]("reconcile failed as before, trying again", { ...about, times })
  else log.warn("reconcile failed, trying again", about)
}
