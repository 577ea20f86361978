import { accumulatorName, type Comprehension, type Expression } from "../syntax/ast.ts"
import { childrenOf } from "../syntax/expressions-in.ts"
import { goTypeOf } from "../values/go-types.ts"
import { kindOf } from "../values/kinds.ts"
import { type AnyMap, MapValue, mapGet, mapKeys } from "../values/maps.ts"
import { EvaluationError, fail, type Value } from "../values/value.ts"
import type { Frame, Plan, Step } from "./frame.ts"
import { attempt } from "./planned-call.ts"
import type { Planner } from "./planner.ts"

/** Called with an item, or with index and item, or with key and value; returns false to end the fold. */
type Visit = (first: Value, second: Value) => boolean

/** Plans a fold. Quantifiers absorb errors and are planned on their own; the rest evaluates step by step. */
export function planComprehension(planner: Planner, node: Comprehension): Plan {
  const range = planner.plan(node.range).step
  const initial = planner.plan(node.initial).step
  const names = [node.accumulator, node.variable, ...(node.secondVariable === undefined ? [] : [node.secondVariable])]
  const two = node.secondVariable !== undefined
  const quantifier = quantifierOf(node)
  const grows = node.initial.kind === "list" || node.initial.kind === "map"
  return planner.withLocals(names, ([accumulator, first, second = -1]) => {
    const slots: Slots = { accumulator: accumulator as number, first: first as number, second }
    const result = planner.plan(node.result).step
    const isUnread = isUnreadBinding(node)
    const fold = quantifier ? planQuantifier(planner, quantifier, slots) : planFold(planner, node, slots)
    return {
      step(frame) {
        const container = range(frame)
        if (isUnread) return result(frame)
        frame.slots[slots.accumulator] = grows ? ownAccumulator(initial(frame)) : initial(frame)
        fold(frame, container, two)
        return result(frame)
      },
    }
  })
}

/** A fold over an empty list binds a name, as `optMap` does. What is bound is evaluated when it is read, and not at all where nothing reads it. */
function isUnreadBinding({ range, condition, accumulator, result }: Comprehension): boolean {
  if (range.kind !== "list" || range.elements.length > 0 || condition.kind !== "literal" || condition.value !== false) return false
  const nodes = new Set([result])
  for (const node of nodes) {
    if (node.kind === "identifier" && node.name === accumulator) return false
    for (const child of childrenOf(node)) nodes.add(child)
  }
  return true
}

interface Slots {
  readonly accumulator: number
  readonly first: number
  readonly second: number
}

/** Steps add to the accumulator in place, so a literal that every evaluation shares must not be used itself. */
function ownAccumulator(value: Value): Value {
  if (Array.isArray(value)) return value.slice()
  return value instanceof MapValue ? value.copy() : value
}

type Fold = (frame: Frame, container: Value, two: boolean) => void

/**
 * An error does not end a fold: it is what the accumulator holds then, and the items behind it are evaluated too. A test that fails replaces
 * the error of an earlier one; everything else reads the accumulator, and so fails with the first error.
 */
function planFold(planner: Planner, node: Comprehension, { accumulator, first, second }: Slots): Fold {
  const condition = planner.plan(node.condition).step
  const step = planStep(planner, node.step)
  return (frame, container, two) => {
    visitItems(container, two, (one, other) => {
      frame.slots[first] = one
      if (two) frame.slots[second] = other
      if (condition(frame) !== true) return false
      try {
        if (!step.test || passes(step.test, frame)) frame.slots[accumulator] = step.accumulate(frame)
      } catch (thrown) {
        frame.slots[accumulator] = evaluationError(thrown)
      }
      return true
    })
  }
}

function passes(test: Step, frame: Frame): boolean {
  const value = test(frame)
  return typeof value === "boolean" ? value : fail("no such overload")
}

/** Costs beyond the limit and faults of this program end everything. */
function evaluationError(thrown: unknown): EvaluationError {
  if (thrown instanceof EvaluationError) return thrown
  throw thrown
}

function visitItems(container: Value, two: boolean, visit: Visit): void {
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index++) {
      const item = container[index] as Value
      if (!(two ? visit(index, item) : visit(item, item))) return
    }
    return
  }
  if (kindOf(container) !== "map") {
    const found = goTypeOf(container)
    fail(two ? `unsupported comprehension range type: ${found}` : `got '${found}', expected iterable type`)
  }
  for (const key of mapKeys(container as AnyMap)) {
    if (!visit(key, two ? (mapGet(container as AnyMap, key) as Value) : key)) return
  }
}

/** The condition and the step of a quantifier, and what each item costs beside its predicate. */
interface Quantifier {
  readonly predicate: Expression
  /** `exists` ends at the first true, `all` at the first false. */
  readonly decisive: boolean
  /** Reading the accumulator in the condition and negating it, which the test of the condition adds to. */
  readonly conditionCost: number
}

function quantifierOf({ condition, step }: Comprehension): Quantifier | undefined {
  if (condition.kind !== "call" || condition.function !== "@not_strictly_false" || step.kind !== "call") return undefined
  const decisive = step.function === "_||_"
  return { predicate: step.args[1] as Expression, decisive, conditionCost: decisive ? 3 : 2 }
}

/** Reading the accumulator in the step. */
const stepCost = 1

function planQuantifier(planner: Planner, { predicate, decisive, conditionCost }: Quantifier, slots: Slots): Fold {
  const test = planner.plan(predicate).step
  const itemCost = conditionCost + stepCost
  return (frame, container, two) => {
    let error: EvaluationError | undefined
    let decided = false
    visitItems(container, two, (one, other) => {
      if (decided) {
        frame.charge(conditionCost)
        return false
      }
      frame.slots[slots.first] = one
      if (two) frame.slots[slots.second] = other
      frame.charge(itemCost)
      try {
        const value = test(frame)
        if (value === decisive) decided = true
        else if (value !== !decisive) error ??= new EvaluationError("no such overload")
      } catch (thrown) {
        error ??= evaluationError(thrown)
      }
      return true
    })
    frame.slots[slots.accumulator] = decided ? decisive : (error ?? !decisive)
  }
}

/** What a fold does with an item: all of it, or what it does with those that pass a test. */
interface ItemStep {
  readonly test: Step | undefined
  readonly accumulate: Step
}

/** Appending to the accumulator changes it in place: copying it for each item would be quadratic. */
function planStep(planner: Planner, step: Expression): ItemStep {
  const accumulate = (node: Expression): Step => planAppend(planner, node) ?? planner.plan(node).step
  if (step.kind !== "call" || step.function !== "_?_:_") return { test: undefined, accumulate: accumulate(step) }
  const [filter, whenTrue] = step.args as [Expression, Expression]
  return { test: planner.plan(filter).step, accumulate: accumulate(whenTrue) }
}

/** The cost of `accumulator + [item]`: reading the accumulator and joining the lists. */
const appendCost = 2

function planAppend(planner: Planner, node: Expression): Step | undefined {
  if (node.kind !== "call" || node.function !== "_+_") return undefined
  const [accumulator, list] = node.args as [Expression, Expression]
  const slot = planner.localSlot(accumulator)
  if (slot === undefined || list.kind !== "list" || list.elements.length !== 1) return undefined
  if (accumulator.kind !== "identifier" || accumulator.name !== accumulatorName) return undefined
  const items = planner.plan(list).step
  return (frame) => {
    frame.charge(appendCost)
    const accumulated = frame.slots[slot]
    if (accumulated instanceof EvaluationError) {
      attempt(frame, items)
      throw accumulated
    }
    const [item] = items(frame) as readonly Value[]
    ;(accumulated as Value[]).push(item as Value)
    return accumulated as readonly Value[]
  }
}
