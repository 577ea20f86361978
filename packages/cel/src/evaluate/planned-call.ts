import type { CostRule } from "../cost/cost-rule.ts"
import { EvaluationError, failedValue, type Value } from "../values/value.ts"
import type { Frame, Step } from "./frame.ts"

/** A call as far as its cost depends on it. */
export interface PlannedCall {
  readonly steps: readonly Step[]
  readonly cost: CostRule
  /** Whether an argument that fails keeps those behind it from being evaluated, also where there are two. */
  readonly inOrder: boolean
}

/** Evaluates the arguments, then what `choose` finds for them. */
export function callWith(frame: Frame, call: PlannedCall, choose: (args: readonly Value[]) => (...args: Value[]) => Value): Value {
  const args = new Array<Value | undefined>(call.steps.length).fill(undefined)
  try {
    for (const [index, step] of call.steps.entries()) args[index] = step(frame)
    const result = choose(args as Value[])(...(args as Value[]))
    frame.charge(call.cost.actual(args as Value[], result))
    return result
  } catch (thrown) {
    return failCall(frame, thrown, call, args)
  }
}

/**
 * Ends a call that failed in itself or in an argument, and charges it as upstream does. Of two arguments both are evaluated, even if the first
 * one fails; of more, none behind the one that fails, and the call is free then. `args` are undefined from the one that failed on.
 */
export function failCall(frame: Frame, thrown: unknown, { steps, cost, inOrder }: PlannedCall, args: (Value | undefined)[]): never {
  if (!(thrown instanceof EvaluationError)) throw thrown
  const index = args.indexOf(undefined)
  if (index >= 0) args[index] = failedValue
  if (index === 0 && args.length === 2 && !inOrder) args[1] = attempt(frame, steps[1] as Step)
  if (!args.includes(undefined)) frame.charge(cost.actual(args as Value[], failedValue))
  throw thrown
}

/** Evaluates for the cost alone. */
export function attempt(frame: Frame, step: Step): Value {
  try {
    return step(frame)
  } catch (thrown) {
    if (thrown instanceof EvaluationError) return failedValue
    throw thrown
  }
}
