import { type CostRule, comparisonCost, equalityCost, traversal, unitCost } from "../cost/cost-rule.ts"
import type { TypeBehaviour } from "../environment/environment.ts"
import type { Overload } from "../environment/overload.ts"
import type { Call, Expression } from "../syntax/ast.ts"
import type { Type, TypeKind } from "../types/types.ts"
import { equal } from "../values/equality.ts"
import { acceptsOf, kindOf, typeOf } from "../values/kinds.ts"
import { type AnyMap, MapValue, mapGet } from "../values/maps.ts"
import { EvaluationError, fail, Opaque, Optional, Uint, type Value } from "../values/value.ts"
import { countWork } from "../values/work.ts"
import { folded } from "./constructors.ts"
import { type Plan, planConstant, type Step } from "./frame.ts"
import { callWith, failCall, type PlannedCall } from "./planned-call.ts"
import type { Planner } from "./planner.ts"
import { planIndex } from "./selections.ts"

/** Plans a call: operators that evaluate their own arguments first, everything else by its overloads. */
export function planCall(planner: Planner, node: Call): Plan {
  switch (node.function) {
    case "_&&_":
      return { step: planLogic(planArguments(planner, node), false) }
    case "_||_":
      return { step: planLogic(planArguments(planner, node), true) }
    case "_?_:_":
      return planConditional(planner, node)
    case "_[_]":
    case "_[?_]":
    case "_?._":
      return planIndex(planner, node)
    case "_==_":
    case "_!=_":
      return planEquality(planner, node)
    default:
      return planOptionalChoice(planner, node) ?? planOverloads(planner, node)
  }
}

function planArguments(planner: Planner, { target, args }: Call): Step[] {
  return [...(target ? [target] : []), ...args].map((argument) => planner.plan(argument).step)
}

/** `decisive` ends `||` at the first true and `&&` at the first false; before that, errors are kept, not raised. */
function planLogic(terms: readonly Step[], decisive: boolean): Step {
  return (frame) => {
    let error: EvaluationError | undefined
    for (const term of terms) {
      try {
        const value = term(frame)
        if (value === decisive) return decisive
        if (typeof value !== "boolean") error ??= new EvaluationError("no such overload")
      } catch (thrown) {
        if (!(thrown instanceof EvaluationError)) throw thrown
        error ??= thrown
      }
    }
    if (error) throw error
    return !decisive
  }
}

/** The branch that is taken is charged; a branch that is a chain costs one unit less there. */
function planConditional(planner: Planner, { args }: Call): Plan {
  const [condition, whenTrue, whenFalse] = args.map((argument) => planner.plan(argument)) as [Plan, Plan, Plan]
  const [trueDiscount, falseDiscount] = [whenTrue.chain?.discount ?? 0, whenFalse.chain?.discount ?? 0]
  const [test, first, second] = [condition.step, whenTrue.step, whenFalse.step]
  return {
    chain: { discount: 0 },
    step(frame) {
      const value = test(frame)
      if (value === true) {
        frame.cost -= trueDiscount
        return first(frame)
      }
      if (value !== false) fail("no such overload")
      frame.cost -= falseDiscount
      return second(frame)
    },
  }
}

/** How a value compares and joins is up to the value on the left; a sum is what its first operand is. */
function behaviourOf(planner: Planner, node: Expression): TypeBehaviour | undefined {
  const own = planner.environment.behaviours.get(planner.typeOf(node))
  return own ?? (node.kind === "call" && node.function === "_+_" ? behaviourOf(planner, node.args[0] as Expression) : undefined)
}

function planEquality(planner: Planner, { function: name, args }: Call): Plan {
  const [leftNode, rightNode] = args as [Expression, Expression]
  const [left, right] = [planner.plan(leftNode).step, planner.plan(rightNode).step]
  const equals = behaviourOf(planner, leftNode)?.equals ?? equal
  const negated = name === "_!=_"
  const cost = negated ? comparisonCost : equalityCost
  const call: PlannedCall = { steps: [left, right], cost, inOrder: false }
  return {
    step(frame) {
      let a: Value | undefined
      let b: Value | undefined
      try {
        a = left(frame)
        b = right(frame)
      } catch (thrown) {
        return failCall(frame, thrown, call, [a, b])
      }
      frame.charge(typeof a === "number" && typeof b === "number" ? 1 : cost.actual([a, b], true))
      const comparable = !(a instanceof Opaque) || b === null || typeOf(a).name === typeOf(b).name
      if (negated) return !comparable || !equals(a, b)
      return comparable ? equals(a, b) : fail("no such overload")
    },
  }
}

/** `or` and `orValue` evaluate their argument only for an empty optional, and are free. */
function planOptionalChoice(planner: Planner, node: Call): Plan | undefined {
  const { target, args } = node
  if (!target || args.length !== 1 || (node.function !== "or" && node.function !== "orValue")) return undefined
  const [optional, otherwise] = [planner.plan(target).step, planner.plan(args[0] as Expression).step]
  const unwraps = node.function === "orValue"
  return {
    step(frame) {
      const value = optional(frame)
      if (!(value instanceof Optional)) return value
      if (value.value === undefined) return otherwise(frame)
      return unwraps ? value.value : value
    },
  }
}

const conversions: ReadonlySet<string> = new Set("bool bytes double duration dyn int string timestamp type uint".split(" "))

function planOverloads(planner: Planner, node: Call): Plan {
  const reference = planner.checked.reference(node)
  if (reference?.kind !== "overloads") return fail(`no such overload: ${node.function}`)
  const nodes = [...(node.target && !reference.qualified ? [node.target] : []), ...node.args]
  const plans = nodes.map((argument) => planner.plan(argument))
  const [overload, ...others] = reference.overloads as [Overload, ...Overload[]]
  const membership = overload.id === "in_list" && others.length === 0 && planner.environment.foldConstants
  const step = planOverloadsStep(planner, reference.overloads, nodes, plans)
  if (conversions.has(node.function) && plans.length === 1) return folded(planner, plans, step)
  return (membership ? planMembership(plans) : undefined) ?? { step }
}

function planOverloadsStep(planner: Planner, overloads: readonly Overload[], nodes: readonly Expression[], plans: readonly Plan[]): Step {
  const [overload] = overloads as [Overload]
  const bound = overloads.map(({ pattern }) => bindPattern(planner, pattern, plans))
  const compiled = planner.environment.foldConstants && bound.some((evaluate) => evaluate !== undefined)
  const evaluators = overloads.map((candidate, index) => evaluatorOf(planner, candidate, nodes, bound[index]))
  const inOrder = compiled || (evaluators.length > 1 && !isOperator(overload.name))
  const call: PlannedCall = { steps: plans.map((plan) => plan.step), cost: ambiguousCost(evaluators), inOrder }
  if (evaluators.length === 1 && isExact(planner, overload, nodes)) return planDirect(call, evaluators[0] as Evaluator)
  return planDispatch(call, evaluators, compiled ? "" : overload.name)
}

/** Compiles a pattern that is a constant. One that is none fails before any evaluation where constants are folded, and in each elsewhere. */
function bindPattern(planner: Planner, pattern: Overload["pattern"], plans: readonly Plan[]): Evaluator["evaluate"] | undefined {
  const constant = pattern && plans[pattern.index]?.constant?.value
  if (typeof constant !== "string") return undefined
  try {
    return pattern?.bind(constant) as Evaluator["evaluate"]
  } catch (thrown) {
    if (planner.environment.foldConstants || !(thrown instanceof EvaluationError)) throw thrown
    return undefined
  }
}

/** An overload as it runs: joined with the behaviour that its argument's type has. */
interface Evaluator {
  readonly evaluate: (...args: Value[]) => Value
  readonly cost: Overload["cost"]
  readonly accepts: readonly ((value: Value) => boolean)[]
}

function evaluatorOf(
  planner: Planner,
  overload: Overload,
  nodes: readonly Expression[],
  bound: Evaluator["evaluate"] | undefined,
): Evaluator {
  const concatenate = overload.id === "add_list" ? behaviourOf(planner, nodes[0] as Expression)?.concatenate : undefined
  const isKey = overload.id === "in_map" && planner.environment.strictMapKeys ? isKeyOfText : undefined
  const evaluate = (bound ?? concatenate ?? isKey ?? overload.evaluate) as Evaluator["evaluate"]
  return { evaluate, cost: overload.cost, accepts: overload.parameters.map(acceptsOf) }
}

/** A map of data has texts for keys, and says so of any other; one that an expression made looks for it. */
function isKeyOfText(key: Value, map: AnyMap): boolean {
  if (!(map instanceof MapValue) && typeof key !== "string") return fail("no such overload")
  return mapGet(map, key) !== undefined
}

/** Whether the checker already proved every argument to be of its parameter's sort: it takes null for a duration, also in a list. */
function isExact(planner: Planner, overload: Overload, nodes: readonly Expression[]): boolean {
  return (
    planner.provesTypes && overload.parameters.every((parameter, index) => isSort(parameter, planner.typeOf(nodes[index] as Expression)))
  )
}

function isSort(parameter: Type, type: Type): boolean {
  if (parameter.kind === "param" || parameter.kind === "dyn") return true
  if (parameter.kind !== type.kind) return false
  return parameter.kind !== "list" || isSort(parameter.parameters[0] as Type, type.parameters[0] as Type)
}

function planDirect(call: PlannedCall, { evaluate, cost }: Evaluator): Step {
  const [first, second] = call.steps as [Step, Step]
  const unit = cost === unitCost
  if (call.steps.length === 1) {
    return (frame) => {
      let argument: Value | undefined
      try {
        argument = first(frame)
        const result = evaluate(argument)
        frame.charge(unit ? 1 : cost.actual([argument], result))
        return result
      } catch (thrown) {
        return failCall(frame, thrown, call, [argument])
      }
    }
  }
  if (call.steps.length === 2) {
    return (frame) => {
      let left: Value | undefined
      let right: Value | undefined
      try {
        left = first(frame)
        right = second(frame)
        const result = evaluate(left, right)
        frame.charge(unit ? 1 : cost.actual([left, right], result))
        return result
      } catch (thrown) {
        return failCall(frame, thrown, call, [left, right])
      }
    }
  }
  return (frame) => callWith(frame, call, () => evaluate)
}

/** Chooses the overload at run time: an argument's type was not known before. */
function planDispatch(call: PlannedCall, evaluators: readonly Evaluator[], name: string): Step {
  return (frame) =>
    callWith(frame, call, (args) => {
      const chosen = evaluators.find(({ accepts }) => accepts.every((accept, index) => accept(args[index] as Value)))
      if (chosen === undefined) return fail(noSuchOverload(name, args))
      // What costs more once its overload is known works more: reading lists and texts is its work.
      if (chosen.cost !== call.cost && chosen.cost !== unitCost) countWork(args.reduce<number>((sum, value) => sum + unitsToRead(value), 0))
      return chosen.evaluate
    })
}

function unitsToRead(value: Value): number {
  if (typeof value === "string" || value instanceof Uint8Array) return traversal(value.length)
  return Array.isArray(value) ? value.length : 0
}

/** The language's own operators evaluate both sides; so do functions with one overload. */
function isOperator(name: string): boolean {
  return name.startsWith("_") || name === "@in"
}

/** A call that may be of several overloads costs what all of them do; where they differ upstream does not know which one it is, and takes one unit. */
function ambiguousCost([first, ...others]: readonly Evaluator[]): CostRule {
  if (first && others.every(({ cost }) => cost === first.cost)) return first.cost
  return first?.cost.ambiguous ?? unitCost
}

const numeric: readonly TypeKind[] = ["double", "int", "uint"]
/** What upstream looks up functions of by itself, and finds none. */
const receivers: readonly TypeKind[] = ["duration", "string", "timestamp"]
const ordered: readonly TypeKind[] = ["bool", "bytes", ...receivers, ...numeric]

/** The functions that upstream calls by what their first operand can do, and the types that can. */
const operands: Readonly<Record<string, readonly TypeKind[]>> = {
  "-_": ["double", "int", ...receivers],
  "_+_": ["bytes", "list", ...receivers, ...numeric],
  "_-_": [...receivers, ...numeric],
  "_*_": [...receivers, ...numeric],
  "_/_": [...receivers, ...numeric],
  "_%_": ["int", "uint", ...receivers],
  "_<_": ordered,
  "_<=_": ordered,
  "_>_": ordered,
  "_>=_": ordered,
  matches: receivers,
  size: ["bytes", "list", "map", ...receivers],
  sort: ["list", ...receivers],
}

/** Functions that say nothing of what they were called with. */
const silent: ReadonlySet<string> = new Set(["", "!_", "@in", "contains", "endsWith", "startsWith"])

/** What upstream says of a call that no overload fits: functions of libraries list the types that they were called with. */
function noSuchOverload(name: string, args: readonly Value[]): string {
  if (silent.has(name)) return "no such overload"
  const types = args.map((value) => typeOf(value).name)
  if (name === "flatten")
    return `no such overload: ${types[0] === "map" ? "map(dyn, dyn)" : types[0]}.flatten(${types.slice(1).join(", ")})`
  const known = operands[name]
  if (!known) return `no such overload: ${name}(${types.join(", ")})`
  return known.includes(kindOf(args[0] as Value)) ? "no such overload" : `no such overload: ${name}`
}

/** `x in [1, 2, 3]` with constants is a set, and looking something up in it is free. */
function planMembership([item, list]: readonly Plan[]): Plan | undefined {
  const values = list?.constant?.value
  if (!Array.isArray(values) || !item) return undefined
  if (values.length === 0) return planConstant(false)
  if (!values.every(isPrimitive)) return undefined
  const strings = new Set(values.filter((value) => typeof value === "string"))
  return {
    step(frame) {
      const value = item.step(frame)
      return typeof value === "string" ? strings.has(value) : values.some((one) => equal(one, value))
    },
  }
}

function isPrimitive(value: Value): boolean {
  const kind = kindOf(value)
  return kind === "string" || kind === "int" || kind === "double" || kind === "bool" || kind === "null" || value instanceof Uint
}
