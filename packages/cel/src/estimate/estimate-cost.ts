import type { CallEstimate, EstimatedArgument } from "../cost/cost-rule.ts"
import { add, exactly, type Interval, multiply, one, unbounded, union, unknownInterval, zero } from "../cost/interval.ts"
import type { CheckedExpression } from "../environment/checked-expression.ts"
import type { Environment } from "../environment/environment.ts"
import type { Overload } from "../environment/overload.ts"
import {
  accumulatorName,
  type Call,
  type Comprehension,
  type Expression,
  type ExpressionVisitor,
  type Identifier,
  type ListLiteral,
  type MapLiteral,
  type ObjectLiteral,
  type Select,
  visit,
} from "../syntax/ast.ts"
import { dynType, isOptional, type Type } from "../types/types.ts"
import { codePointLength } from "../values/text.ts"
import { FieldPath } from "./field-path.ts"

const listCost = exactly(10)
const mapCost = exactly(30)
const objectCost = exactly(40)

/** Returns the bounds of what a checked expression costs. */
export function estimateCost(checked: CheckedExpression, environment: Environment): Interval {
  return new Estimation(checked, environment).cost(checked.expression)
}

/** The sizes of the entries of a list or a map. */
interface EntrySize {
  readonly container: "list" | "map"
  readonly key: Interval
  readonly value: Interval
}

/** What is known of a comprehension's variable. */
interface Local {
  readonly path: FieldPath
  readonly size: Interval | undefined
  readonly entrySize: EntrySize | undefined
}

/** No item at all: the identity of `union`. */
const nothing: Interval = { min: unbounded, max: 0 }

/** One walk over a tree: costs are returned, sizes and paths are kept for the parents. */
class Estimation implements ExpressionVisitor<Interval> {
  private readonly checked: CheckedExpression
  private readonly environment: Environment
  /** Macros use a part of the text twice: it is walked once. */
  private readonly costs = new Map<Expression, { readonly cost: Interval; readonly locals: ReadonlyMap<string, Local> }>()
  private readonly paths = new Map<Expression, FieldPath>()
  private readonly sizes = new Map<Expression, Interval>()
  private readonly entrySizes = new Map<Expression, EntrySize>()
  private locals: ReadonlyMap<string, Local> = new Map()

  constructor(checked: CheckedExpression, environment: Environment) {
    this.checked = checked
    this.environment = environment
  }

  cost(node: Expression): Interval {
    const known = this.costs.get(node)
    if (known?.locals === this.locals) return known.cost
    const cost = visit(node, this)
    this.costs.set(node, { cost, locals: this.locals })
    return cost
  }

  literal(): Interval {
    return zero
  }

  identifier(node: Identifier): Interval {
    this.paths.set(node, this.locals.get(node.name)?.path ?? FieldPath.of(node.name))
    return one
  }

  select(node: Select): Interval {
    const reference = this.checked.reference(node)
    if (reference?.kind === "type" || reference?.kind === "variable") {
      this.paths.set(node, FieldPath.of(reference.kind === "type" ? reference.type.name : reference.name))
      return one
    }
    const operand = this.cost(node.operand)
    if (node.testOnly) return add(operand, this.environment.presenceTestCost ? one : zero)
    this.paths.set(node, this.path(node.operand).append(node.field))
    const { kind } = this.checked.typeOf(node.operand)
    return kind === "map" || kind === "object" || kind === "param" ? add(operand, one) : operand
  }

  call(node: Call): Interval {
    if (node.function === "dyn" && !node.target) return this.dynCost(node)
    const reference = this.checked.reference(node)
    if (reference?.kind !== "overloads") return zero
    const receiver = node.target && !reference.qualified ? [node.target] : []
    const nodes = [...receiver, ...node.args]
    const sized = new Map([...node.args, ...receiver].map((argument) => [argument, this.costAndSize(argument)]))
    const costs = nodes.map((argument) => sized.get(argument)?.cost ?? zero)
    const args = nodes.map((argument) => this.argument(argument, sized.get(argument)?.size))
    const argumentCost = this.argumentCost(node, costs)
    let cost = nothing
    let resultSize: Interval | undefined
    for (const overload of reference.overloads) {
      const estimate = this.overloadEstimate(overload, node, args)
      cost = union(cost, add(estimate.cost, argumentCost))
      const size = this.indexedSize(overload, node, nodes) ?? estimate.resultSize
      if (size) resultSize = resultSize ? union(resultSize, size) : size
    }
    const size = resultSize ?? this.size(node)
    if (size) this.sizes.set(node, size)
    return cost
  }

  /** An argument's size is looked up at once, and a receiver comes last: paths change when others are appended to the same one. */
  private costAndSize(node: Expression): { readonly cost: Interval; readonly size: Interval | undefined } {
    return { cost: this.cost(node), size: this.size(node) }
  }

  /** `&&` and `||` may end after their first argument; a conditional takes one branch. */
  private argumentCost(node: Call, costs: readonly Interval[]): Interval {
    const [first = zero, second = zero, third = zero] = costs
    if (node.function === "_&&_" || node.function === "_||_") return { min: first.min, max: add(...costs).max }
    return node.function === "_?_:_" ? add(first, union(second, third)) : add(...costs)
  }

  private overloadEstimate(overload: Overload, node: Call, args: readonly EstimatedArgument[]): CallEstimate {
    if (overload.id === "conditional") this.keepEntrySize(node, node.args[1], node.args[2])
    if (overload.id === "add_list" || overload.id === "add_string" || overload.id === "add_bytes") {
      this.keepEntrySize(node, node.args[0], node.args[1])
    }
    return overload.cost.estimate(args)
  }

  /** The result of two containers has entries of either. */
  private keepEntrySize(node: Call, left: Expression | undefined, right: Expression | undefined): void {
    const [first, second] = [left && this.entrySize(left), right && this.entrySize(right)]
    if (!first || !second) return
    this.entrySizes.set(node, { container: first.container, key: union(first.key, second.key), value: union(first.value, second.value) })
  }

  private indexedSize({ id }: Overload, node: Call, [container]: readonly Expression[]): Interval | undefined {
    if (!container || (id !== "index_list" && id !== "index_map")) return undefined
    this.paths.set(node, this.path(container).append(id === "index_list" ? "@items" : "@values"))
    return this.entrySize(container)?.value
  }

  /** `dyn()` hides a type, not a size. */
  private dynCost(node: Call): Interval {
    const [argument] = node.args as [Expression]
    const cost = this.cost(argument)
    this.copySizes(node, argument)
    return add(one, cost)
  }

  list(node: ListLiteral): Interval {
    const costs = node.elements.map((element) => this.cost(element))
    const value = this.sizeOfItems(node.elements)
    this.entrySizes.set(node, { container: "list", key: one, value })
    return add(...costs, listCost)
  }

  map(node: MapLiteral): Interval {
    const costs = node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)])
    const [key, value] = [
      this.sizeOfItems(node.entries.map((entry) => entry.key)),
      this.sizeOfItems(node.entries.map((entry) => entry.value)),
    ]
    this.entrySizes.set(node, { container: "map", key, value })
    return add(...costs, mapCost)
  }

  private sizeOfItems(items: readonly Expression[]): Interval {
    if (items.length === 0) return zero
    return items.reduce((size, item) => union(size, this.size(item) ?? unknownInterval), nothing)
  }

  object({ entries }: ObjectLiteral): Interval {
    return add(...entries.map(({ value }) => this.cost(value)), objectCost)
  }

  comprehension(node: Comprehension): Interval {
    return this.isBinding(node) ? this.bindingCost(node) : this.foldCost(node)
  }

  private foldCost(node: Comprehension): Interval {
    const [range, initial] = [this.cost(node.range), this.cost(node.initial)]
    const outer = this.locals
    const withAccumulator = new Map(outer).set(node.accumulator, this.localOf(node.initial))
    this.locals = new Map([...withAccumulator, ...this.itemLocals(node)])
    const perItem = add(this.cost(node.condition), this.cost(node.step))
    this.locals = withAccumulator
    const result = this.cost(node.result)
    this.locals = outer
    const count = this.size(node.range) ?? unknownInterval
    this.keepComprehensionSize(node, count)
    return add(range, initial, result, multiply(count, perItem))
  }

  private keepComprehensionSize(node: Comprehension, count: Interval): void {
    const { initial } = node
    if (initial.kind === "literal") {
      const size = this.size(initial)
      if (size) this.sizes.set(node, size)
    }
    if (initial.kind !== "list" && initial.kind !== "map") return
    this.sizes.set(node, count)
    const entrySize = this.entrySize(node.step)
    if (entrySize) this.entrySizes.set(node, entrySize)
  }

  /** A fold over an empty list that never steps binds a variable: macros of optionals expand to it. */
  private isBinding({ range, condition, accumulator }: Comprehension): boolean {
    const empty = range.kind === "list" && range.elements.length === 0
    return empty && condition.kind === "literal" && condition.value === false && accumulator !== "__result__"
  }

  private bindingCost(node: Comprehension): Interval {
    const [range, initial] = [this.cost(node.range), this.cost(node.initial)]
    const outer = this.locals
    this.locals = new Map(outer).set(node.accumulator, this.localOf(node.initial))
    const result = this.cost(node.result)
    this.copySizes(node, node.result)
    this.locals = outer
    return add(range, initial, result)
  }

  private localOf(node: Expression): Local {
    return { path: this.path(node), size: this.size(node), entrySize: this.entrySize(node) }
  }

  /** The variables of a comprehension: item or key, or index and item, or key and value. */
  private itemLocals({ range, variable, secondVariable }: Comprehension): [string, Local][] {
    const entrySize = this.entrySize(range)
    const isList = (entrySize?.container ?? this.checked.typeOf(range).kind) === "list"
    const local = (subpath: string, size: Interval | undefined): Local => ({
      path: this.path(range).append(subpath),
      size,
      entrySize: undefined,
    })
    const key = () => local(isList ? "@indices" : "@keys", entrySize?.key)
    const value = () => local(isList ? "@items" : "@values", entrySize?.value)
    if (secondVariable === undefined) return [[variable, isList ? value() : key()]]
    return [
      [variable, key()],
      [secondVariable, value()],
    ]
  }

  private path(node: Expression): FieldPath {
    if (node.kind === "identifier") {
      const local = this.locals.get(node.name)
      if (local) return local.path
    }
    return this.paths.get(node) ?? FieldPath.none
  }

  private argument(expression: Expression, size: Interval | undefined): EstimatedArgument {
    const type = this.checked.typeOf(expression)
    return { expression, type, size, elementSize: this.elementSize(expression, type) }
  }

  private elementSize(expression: Expression, { kind, parameters }: Type): Interval | undefined {
    const path = this.path(expression).parts
    if (kind !== "list" || path.length === 0 || path[0] === accumulatorName) return undefined
    return this.environment.sizeHints?.estimateSize([...path, "@items"], parameters[0] ?? dynType)
  }

  /** Returns what is known of a node's size: computed, written, declared by a schema, or given by its type. */
  private size(node: Expression): Interval | undefined {
    const computed = this.sizes.get(node) ?? literalSize(node)
    if (computed) return computed
    const type = this.checked.typeOf(node)
    const path = this.path(node).parts
    const hidden = path[0] === accumulatorName
    const hinted = hidden ? undefined : this.environment.sizeHints?.estimateSize(path, type)
    if (hinted) {
      this.sizes.set(node, hinted)
      return hinted
    }
    if (isScalar(type)) return one
    return node.kind === "identifier" ? this.locals.get(node.name)?.size : undefined
  }

  private entrySize(node: Expression): EntrySize | undefined {
    return this.entrySizes.get(node) ?? (node.kind === "identifier" ? this.locals.get(node.name)?.entrySize : undefined)
  }

  private copySizes(to: Expression, from: Expression): void {
    const [size, entrySize] = [this.size(from), this.entrySize(from)]
    if (size) this.sizes.set(to, size)
    if (entrySize) this.entrySizes.set(to, entrySize)
  }
}

function literalSize(node: Expression): Interval | undefined {
  if (node.kind === "list") return exactly(node.elements.length)
  if (node.kind === "map") return exactly(node.entries.length)
  if (node.kind !== "literal") return undefined
  if (typeof node.value === "string") return exactly(codePointLength(node.value))
  return node.value instanceof Uint8Array ? exactly(node.value.length) : one
}

function isScalar(type: Type): boolean {
  if (type.kind === "opaque") return isOptional(type) && isScalar(type.parameters[0] as Type)
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind)
}
