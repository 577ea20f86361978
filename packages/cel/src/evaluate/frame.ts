import type { EvaluationError, Value } from "../values/value.ts"
import type { Work } from "../values/work.ts"

/** Ends an evaluation that costs too much. No operator absorbs it. */
export class CostLimitExceeded {
  readonly message = "operation cancelled: actual cost limit exceeded"
}

/**
 * What an evaluation may copy and walk over for the cost that cel-go has for it, which takes lists for linked and nested values for flat.
 * A few nested doublings would fill any memory, so each unit beyond it costs one.
 */
const freeWork = 100_000

/** What a slot holds; only the accumulator of a fold can be an error. */
export type Slot = Value | EvaluationError | undefined

/** The state of one evaluation: variables by slot, and what it has cost so far. */
export class Frame implements Work {
  readonly slots: Slot[]
  cost = 0
  private readonly limit: number
  private work = 0

  constructor(slots: Slot[], limit: number) {
    this.slots = slots
    this.limit = limit
  }

  /** Adds to the cost; ends the evaluation beyond the limit. */
  charge(units: number): void {
    this.cost += units
    if (this.cost > this.limit) throw new CostLimitExceeded()
  }

  count(units: number): void {
    this.work += units
    if (this.work > freeWork) this.charge(Math.min(units, this.work - freeWork))
  }

  foresee(units: number): void {
    if (this.cost + units > this.limit) throw new CostLimitExceeded()
  }
}

/** A planned node: computes its value and charges the frame for it. */
export type Step = (frame: Frame) => Value

/** A planned node with what its parents need to know. */
export interface Plan {
  readonly step: Step
  /** The value of a node that is the same in every evaluation. */
  readonly constant?: { readonly value: Value }
  /**
   * Set where the node is a chain of a variable, selections and indexes. A branch of a conditional or an index
   * that is such a chain costs less by this: upstream's cost tracker does not see its head there.
   */
  readonly chain?: { readonly discount: number }
}

/** Plans a value that is known; it costs nothing. */
export function planConstant(value: Value): Plan {
  return { step: () => value, constant: { value } }
}
