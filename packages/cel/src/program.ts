import type { Interval } from "./cost/interval.ts"
import type { CheckedExpression } from "./environment/checked-expression.ts"
import type { Environment, Reader } from "./environment/environment.ts"
import { estimateCost } from "./estimate/estimate-cost.ts"
import { CostLimitExceeded, Frame, type Slot, type Step } from "./evaluate/frame.ts"
import { Planner } from "./evaluate/planner.ts"
import { readerOf } from "./evaluate/readers.ts"
import type { Type } from "./types/types.ts"
import { EvaluationError, fail, InternalError, type Value } from "./values/value.ts"
import { withWork } from "./values/work.ts"

/** What a caller may pass: values of the language, a Date for a timestamp, a Map for a map, and a plain number or bigint for a uint. */
export type InputValue = Value | Date | ReadonlyMap<Value, InputValue> | readonly InputValue[] | { readonly [key: string]: InputValue }

/** The values of variables by name. */
export type Activation = Readonly<Record<string, InputValue>>

/** Limits of one evaluation. */
export interface EvaluateOptions {
  /** The evaluation ends with an error once it costs more than this. */
  readonly costLimit?: number
}

/** What an evaluation came to. */
export type Evaluation =
  | { readonly kind: "value"; readonly value: Value; readonly cost: number }
  | { readonly kind: "error"; readonly message: string; readonly costLimitExceeded: boolean; readonly cost: number }

/** A variable that the expression reads. */
interface Input {
  readonly name: string
  readonly slot: number
  readonly read: Reader | undefined
  /** Whether every object has a property of the name: only an own one is a value then. */
  readonly isInherited: boolean
}

/** A compiled expression. It has no state: one program may be evaluated any number of times. */
export class Program {
  /** The type that the checker found for the result. */
  readonly outputType: Type
  private readonly checked: CheckedExpression
  private readonly environment: Environment
  private readonly step: Step
  private readonly inputs: readonly Input[]
  private readonly slots: number

  constructor(checked: CheckedExpression, environment: Environment) {
    const planner = new Planner(checked, environment)
    this.checked = checked
    this.environment = environment
    this.outputType = checked.typeOf(checked.expression)
    this.step = planner.plan(checked.expression).step
    this.slots = planner.slots
    this.inputs = Array.from(planner.variables, ([name, slot]) => ({
      name,
      slot,
      read: readerOf(environment, environment.variable(name), `variable ${name}`),
      isInherited: name in Object.prototype,
    }))
  }

  /** Reports whether the expression reads a variable. */
  uses(variable: string): boolean {
    return this.inputs.some(({ name }) => name === variable)
  }

  /** Computes the expression. Faults of the expression are returned, not thrown. */
  evaluate(activation: Activation = {}, { costLimit = Number.POSITIVE_INFINITY }: EvaluateOptions = {}): Evaluation {
    if (typeof costLimit !== "number" || Number.isNaN(costLimit))
      throw new TypeError(`evaluate: expected a number as the costLimit, found ${String(costLimit)}`)
    const slots = new Array<Slot>(this.slots).fill(undefined)
    const frame = new Frame(slots, costLimit)
    try {
      if (typeof activation !== "object" || activation === null)
        fail(`expected an object with the values of variables, found ${activation}`)
      for (const { name, slot, read, isInherited } of this.inputs) {
        const value = (isInherited && !Object.hasOwn(activation, name) ? undefined : activation[name]) as Value | undefined
        slots[slot] = value !== undefined && read ? read(value) : value
      }
      const value = withWork(frame, () => this.step(frame))
      return { kind: "value", value, cost: frame.cost }
    } catch (error) {
      return evaluationOfError(error, frame.cost)
    }
  }

  /** Returns the bounds of the cost of any evaluation, from what the environment says of the sizes of variables. */
  estimateCost(): Interval {
    return estimateCost(this.checked, this.environment)
  }
}

function evaluationOfError(error: unknown, cost: number): Evaluation {
  if (error instanceof EvaluationError || error instanceof InternalError)
    return { kind: "error", message: error.message, costLimitExceeded: false, cost }
  // Values that nest deeper than the stack, or a text that is longer than any can be: without a cost limit nothing else ends these.
  // What has the wrong type inside of a value that is not checked, such as a function in the middle of data of type dyn, ends in the other two.
  if (error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError)
    return { kind: "error", message: `internal error: ${error.message}`, costLimitExceeded: false, cost }
  if (error instanceof CostLimitExceeded) return { kind: "error", message: error.message, costLimitExceeded: true, cost }
  throw error
}
