import { isConflict } from "@pilothouse/api"
import { type Log, type LogFields, messageOf } from "@pilothouse/seams"
import { describePlan } from "./describe-plan.ts"
import { type FollowUp, isUnexpected } from "./follow-up.ts"
import { isRememberOperation } from "./plan.ts"
import type { Outcome } from "./reconcile.ts"
import type { ReconcileMetrics } from "./reconcile-metrics.ts"
import type { Trace } from "./trace.ts"

/** One look at a key, when it is over. */
export interface Look {
  readonly key: string
  readonly at: number
  readonly causes: readonly string[]
  readonly outcome: Outcome
  readonly next: FollowUp
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
export function reporter(options: ReporterOptions): (look: Look) => void {
  const { controller, log, trace, metrics } = options
  /** Of keys whose last look was a conflict: how many in a row. */
  const conflicts = new Map<string, number>()
  return (look) => {
    const { key, at, causes, outcome, next, milliseconds, cut } = look
    const { plan, settled, results, observed, error } = outcome
    const failure = error === undefined ? undefined : messageOf(error)
    trace.record({ controller, key, at, causes, observed, plan, settled, results, error: failure, milliseconds })
    if (!cut) metrics.ended({ next, error, milliseconds })
    tellPlan(look, options)
    const inARow = isConflict(error) ? (conflicts.get(key) ?? 0) + 1 : 0
    if (inARow > 0) conflicts.set(key, inARow)
    else conflicts.delete(key)
    if (error === undefined || cut) return
    const done = plan === undefined || results.length === 0 ? {} : { causes, plan: describePlan(plan, results) }
    tellFailure(log, next, { error, conflicts: inARow }, { controller, key, error: failure, ...done })
  }
}

function tellPlan({ key, causes, outcome, cut }: Look, { controller, log, dryRun }: ReporterOptions): void {
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
  if (error === undefined) log.debug("looked, and found nothing to do", { controller, key, because: plan.summary })
}

/** So many in a row are no longer the cache that was a moment behind. */
const lastingConflict = 5

interface Failure {
  readonly error: unknown
  readonly conflicts: number
}

function tellFailure(log: Log, next: FollowUp, { error, conflicts }: Failure, about: LogFields): void {
  if (next.do === "give-up") log.error("reconcile failed and is not retried until the object changes", about)
  else if (isUnexpected(error))
    log.error("reconcile threw, trying again", { ...about, stack: error instanceof Error ? error.stack : undefined })
  else if (next.do === "retry-after") log.info("reconcile has to wait, trying again then", { ...about, after: next.after })
  // A conflict says that the cache was a moment behind: usual, and mended by the next look.
  else if (isConflict(error) && conflicts < lastingConflict) log.debug("reconcile failed, trying again", about)
  else log.warn("reconcile failed, trying again", about)
}
