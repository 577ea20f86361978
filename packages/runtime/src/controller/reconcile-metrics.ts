import { type Metrics, PilothouseError } from "@pilothouse/seams"
import { type FollowUp, isTerminal, isUnexpected } from "./follow-up.ts"

/** What a controller reports to its metrics, under controller-runtime's names. */
export interface ReconcileMetrics {
  workers(count: number): void
  active(count: number): void
  ended(end: { readonly next: FollowUp; readonly error?: unknown; readonly milliseconds: number }): void
}

/** controller-runtime's result labels. */
const results: Readonly<Record<FollowUp["do"], string>> = {
  rest: "success",
  "requeue-after": "requeue_after",
  retry: "error",
  "retry-after": "error",
  "give-up": "error",
}

/** controller-runtime's names, so that its dashboards work. */
export function reconcileMetrics(metrics: Metrics, controller: string): ReconcileMetrics {
  const family = "controller_runtime"
  const total = metrics.counter({ name: `${family}_reconcile_total`, help: "Reconciles by result" })
  const errors = metrics.counter({ name: `${family}_reconcile_errors_total`, help: "Reconciles that failed" })
  const terminal = metrics.counter({
    name: `${family}_terminal_reconcile_errors_total`,
    help: "Reconciles that failed and are not retried",
  })
  const panics = metrics.counter({ name: `${family}_reconcile_panics_total`, help: "Reconciles that failed with an unexpected exception" })
  const timeouts = metrics.counter({ name: `${family}_reconcile_timeouts_total`, help: "Reconciles that timed out" })
  const time = metrics.histogram({ name: `${family}_reconcile_time_seconds`, help: "How long a reconcile took" })
  const maxConcurrent = metrics.gauge({ name: `${family}_max_concurrent_reconciles`, help: "Maximum number of concurrent reconciles" })
  const active = metrics.gauge({ name: `${family}_active_workers`, help: "Number of active reconciles" })
  return {
    workers: (count) => maxConcurrent.set(count, { controller }),
    active: (count) => active.set(count, { controller }),
    ended({ next, error, milliseconds }) {
      total.add(1, { controller, result: error === undefined && next.do === "retry" ? "requeue" : results[next.do] })
      time.observe(milliseconds / 1000, { controller })
      if (error === undefined) return
      errors.add(1, { controller })
      if (isTerminal(error)) terminal.add(1, { controller })
      if (isUnexpected(error)) panics.add(1, { controller })
      if (error instanceof PilothouseError && error.code === "TIMEOUT") timeouts.add(1, { controller })
    },
  }
}
