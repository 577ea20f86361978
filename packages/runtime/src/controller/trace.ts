import type { Plan, Result, Step } from "./plan/plan.ts"

/** One reconcile, whole: what woke it, what was decided and why, and what became of it. */
export interface TraceEntry {
  readonly controller: string
  readonly key: string
  /** When it began, in milliseconds since 1970. */
  readonly at: number
  readonly causes: readonly string[]
  /** What was read, with resourceVersions: "Deployment default/web@1234". */
  readonly observed: readonly string[]
  readonly plan?: Plan
  /** What was decided once the results of the plan were known. */
  readonly settled?: Plan
  readonly results: readonly Result[]
  readonly error?: string
  /** The error is a conflict: another client wrote the object in between. */
  readonly conflict?: true
  /** How many looks at the key have failed in a row, this one included; left out where it went well. */
  readonly failures?: number
  /** It failed, and is not tried again until something changes. */
  readonly givenUp?: true
  /** When it is looked at again though nothing may have changed, in milliseconds since 1970; left out where only a change brings the next look. */
  readonly nextAt?: number
  readonly milliseconds: number
}

/** Operations kept of one reconcile: a plan of 500 pods says no more with all of them, and a thousand such plans are too much to hold. */
const operationsKept = 50

/** The last reconciles. Always true between calls: at most `size` entries of at most 50 operations, oldest forgotten first. */
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

/** Whose name the server gave is told; a whole object for each write would be most of what the trace holds. */
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
