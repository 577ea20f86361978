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
export function reporter({ controller, log, trace, metrics, dryRun }: ReporterOptions): (look: Look) => void {
  return ({ key, at, causes, outcome, next, milliseconds, cut }) => {
    const { plan, settled, results, observed, error } = outcome
    const failure = error === undefined ? undefined : messageOf(error)
    trace.record({ controller, key, at, causes, observed, plan, settled, results, error: failure, milliseconds })
    if (!cut) metrics.ended({ next, error, milliseconds })
    // What is only remembered, of every heartbeat say, is for the trace.
    if (plan !== undefined && results.some(({ operation }) => !isRememberOperation(operation))) {
      const about = { controller, key, causes, plan: describePlan(plan, dryRun ? [] : results) }
      if (dryRun) log.info("would do this, but this is a dry run", about)
      else log.info("reconciled", about)
    } else if (plan !== undefined && error === undefined) {
      // Of every heartbeat too: whoever wants to see that a loop looks at all asks for it.
      log.debug("looked, and found nothing to do", { controller, key, because: plan.summary })
    }
    if (error !== undefined && !cut) tellFailure(log, next, error, { controller, key, error: failure })
  }
}

function tellFailure(log: Log, next: FollowUp, error: unknown, about: LogFields): void {
  if (next.do === "give-up") log.error("reconcile failed and is not retried until the object changes", about)
  else if (isUnexpected(error))
    log.error("reconcile threw, trying again", { ...about, stack: error instanceof Error ? error.stack : undefined })
  else if (next.do === "retry-after") log.info("reconcile has to wait, trying again then", { ...about, after: next.after })
  // A conflict says that the cache was a moment behind: usual, and mended by the next look.
  else if (isConflict(error)) log.debug("reconcile failed, trying again", about)
  else log.warn("reconcile failed, trying again", about)
}
