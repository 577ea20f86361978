import type { MetricStatus } from "@pilothouse/api/autoscaling/v2"
import { isFailure, type MetricFailure, type MetricProposal, type Proposed } from "./propose.ts"

/** What all metrics together say. */
export interface Combined {
  /** The most that one of them asks for; undefined when nothing may be concluded. */
  readonly replicas?: number
  /** Which one that is. */
  readonly metric: string
  readonly statuses: readonly MetricStatus[]
  readonly failures: readonly MetricFailure[]
}

/**
 * The highest proposal wins. Metrics that failed are passed over, but not when the others would take replicas away:
 * what is not known may be just what they are needed for.
 */
export function combine(proposals: readonly Proposed[], current: number): Combined {
  const failures = proposals.filter(isFailure).map(({ failure }) => failure)
  const made = proposals.filter((proposed): proposed is MetricProposal => !isFailure(proposed))
  // A metric of which nothing is known has an empty place: the statuses stand in the order of the spec.
  const statuses = proposals.map((proposed) => (isFailure(proposed) ? { type: "" } : proposed.status))
  const highest = made.reduce((best, next) => (best === undefined || next.replicas > best.replicas ? next : best), made[0])
  const isSafe = highest !== undefined && (failures.length === 0 || highest.replicas >= current)
  return { ...(isSafe && { replicas: highest.replicas }), metric: isSafe ? highest.name : "", statuses, failures }
}

/** What the event about all metrics says. */
export function failureText(failures: readonly MetricFailure[], count: number): string {
  return `invalid metrics (${failures.length} invalid out of ${count}), first error is: ${failures[0]?.error}`
}
