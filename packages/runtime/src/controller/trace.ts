import type { Plan, Result, Step } from "./plan/plan.ts"

/** One reconcile: its causes, its decision with reasons, and its results. */
export interface TraceEntry {
  readonly controller: string
  readonly key: string
  /** When it began, in milliseconds since 1970. */
  readonly at: number
  readonly causes: readonly string[]
  /** What was read, with resourceVersions: "Deployment default/web@1234". */
  readonly observed: readonly string[]
  readonly plan?: Plan
  /** The plan of settle. */
  readonly settled?: Plan
  readonly results: readonly Result[]
  readonly error?: string
  /** The error is a conflict: another client wrote the object in between. */
  readonly conflict?: true
  /** Number of failed reconciles of the key in a row, including this one; undefined where it succeeded. */
  readonly failures?: number
  /** It failed and is not retried until something changes. */
  readonly givenUp?: true
  /** When it is reconciled again without a change, in milliseconds since 1970; undefined where only a change enqueues it. */
  readonly nextAt?: number
  readonly milliseconds: number
}

/** Operations kept of one reconcile: a thousand plans of 500 pods would take too much memory. */
const operationsKept = 50

/** The last reconciles. Invariant: at most `size` entries of at most 50 operations; the oldest are dropped first. */
export class Trace {
  readonly #size: number
  readonly #entries: TraceEntry[] = []
  #next = 0

  constructor(size = 1000) {
    this.#size = size
  }

  record(entry: TraceEntry): void {
    this.#entries[this.#next % this.#size] = shortened(entry)
    this.#next++
  }

  /** Oldest first. */
  entries(): readonly TraceEntry[] {
    const from = this.#next % this.#size
    return this.#next <= this.#size ? [...this.#entries] : [...this.#entries.slice(from), ...this.#entries.slice(0, from)]
  }
}

function shortened(entry: TraceEntry): TraceEntry {
  const { plan, settled } = entry
  const results = entry.results.slice(0, operationsKept).map(withoutAnswer)
  return { ...entry, plan: plan && shortenedPlan(plan), settled: settled && shortenedPlan(settled), results }
}

/** Keeps the identity of written objects only: whole objects would be most of the memory of the trace. */
function withoutAnswer(result: Result): Result {
  if (result.ok !== true || result.object === undefined) return result
  const { apiVersion, kind, metadata } = result.object
  const { name, namespace, uid, resourceVersion } = metadata
  return { ...result, object: { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } } }
}

function shortenedPlan(plan: Plan): Plan {
  return plan.steps.flatMap((step) => step.operations).length <= operationsKept ? plan : firstOperations(plan)
}

function firstOperations({ steps, events, requeue, waitingFor, summary, stuck }: Plan): Plan {
  let left = operationsKept
  const kept = steps.map((step): Step => {
    const operations = step.operations.slice(0, left)
    left -= operations.length
    return { ...step, operations }
  })
  const omitted = steps.flatMap((step) => step.operations).length - operationsKept
  return { steps: kept, events, requeue, waitingFor, summary: summary ?? `and ${omitted} more operations`, stuck }
}
