import { isConflict } from "@pilothouse/api"
import { type Log, type LogFields, messageOf } from "@pilothouse/seams"
import { describePlan } from "./describe-plan.ts"
import { type FollowUp, isUnexpected } from "./follow-up.ts"
import { isRememberOperation } from "./plan/plan.ts"
import type { Outcome } from "./reconcile.ts"
import type { ReconcileMetrics } from "./reconcile-metrics.ts"
import type { Trace } from "./trace.ts"

/** The report of one finished reconcile. */
export interface ReconcileReport {
  readonly key: string
  readonly at: number
  readonly causes: readonly string[]
  readonly outcome: Outcome
  readonly next: FollowUp
  /** When the next one is due; undefined where only a change enqueues it. */
  readonly nextAt?: number
  readonly milliseconds: number
  /** It was aborted by the shutdown. */
  readonly cut: boolean
}

export interface ReporterOptions {
  readonly controller: string
  readonly log: Log
  readonly trace: Trace
  readonly metrics: ReconcileMetrics
  readonly dryRun: boolean
}

/** Returns a function that reports a reconcile to log, trace and metrics. */
export function reporter(options: ReporterOptions): (report: ReconcileReport) => void {
  const { controller, log, trace, metrics } = options
  const conflicts = consecutiveCounter()
  const failures = consecutiveCounter()
  const repeats = repeatCounter()
  return (report) => {
    const { key, at, causes, outcome, next, nextAt, milliseconds, cut } = report
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
    logPlan(report, options)
    const inARow = conflicts(key, isConflict(error))
    const times = repeats(key, failure)
    if (error === undefined || cut) return
    // The plan of a repeated failure was logged with the first.
    const isReported = times > 1 && !isConflict(error)
    const done = plan === undefined || results.length === 0 || isReported ? {} : { causes, plan: describePlan(plan, results) }
    logFailure(log, next, { error, conflicts: inARow, times }, { controller, key, error: failure, ...done })
  }
}

/** Counts consecutive occurrences by key. Invariant: has the keys whose last reconcile counted. */
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
 * Counts how often a key failed in the same way in a row. The name of the refused object is ignored: a pod that a quota refuses
 * has another one each time. Invariant: has the keys whose last reconcile failed, with the failure.
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

/** `pods "web-x2z" is forbidden: …`, wherever that name occurs. Other names stay: a failure about another missing object is a new one. */
function withoutRefusedNames(failure: string): string {
  const refused = new Set(Array.from(failure.matchAll(/("[^"]*") is (?:forbidden|invalid)\b/g), ([, name]) => name!))
  let rest = failure
  for (const name of refused) rest = rest.replaceAll(name, '""')
  return rest
}

function logPlan({ key, causes, outcome, cut }: ReconcileReport, { controller, log, dryRun }: ReporterOptions): void {
  const { plan, results, error } = outcome
  if (plan === undefined) return
  // Remember operations, such as those of each heartbeat, are for the trace only.
  if (results.some(({ operation }) => !isRememberOperation(operation))) {
    const about = {
      controller,
      key,
      causes,
      // Read by a log that shows the line.
      get plan() {
        return describePlan(plan, dryRun ? [] : results)
      },
    }
    if (dryRun) log.info("would do this, but this is a dry run", about)
    // A failure is logged once, with all of this.
    else if (error === undefined || cut) log.info("reconciled", about)
    return
  }
  // At debug level: it occurs for every heartbeat.
  if (error === undefined) log.debug("reconciled, nothing to do", { controller, key, reason: plan.summary })
}

/** Conflicts in a row after which a lagging cache is no longer a sufficient explanation. */
const lastingConflict = 5

/** A repeated failure is logged as a warning once in so many times. */
const repeatsPerWarning = 10

interface Failure {
  readonly error: unknown
  readonly conflicts: number
  /** Number of equal failures in a row. */
  readonly times: number
}

function logFailure(log: Log, next: FollowUp, { error, conflicts, times }: Failure, about: LogFields): void {
  if (next.do === "give-up") log.error("reconcile failed and is not retried until the object changes", about)
  else if (isUnexpected(error))
    log.error("reconcile threw, trying again", { ...about, stack: error instanceof Error ? error.stack : undefined })
  else if (next.do === "retry-after") log.info("reconcile has to wait, trying again then", { ...about, after: next.after })
  // A conflict means a lagging cache: common, and resolved by the next reconcile.
  else if (isConflict(error) && conflicts < lastingConflict) log.debug("reconcile failed, trying again", about)
  else if (times > 1 && !isConflict(error))
    log[times % repeatsPerWarning === 0 ? "warn" : "debug"]("reconcile failed as before, trying again", { ...about, times })
  else log.warn("reconcile failed, trying again", about)
}
