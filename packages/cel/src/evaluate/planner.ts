import type { CheckedExpression } from "../environment/checked-expression.ts"
import type { Environment } from "../environment/environment.ts"
import {
  accumulatorName,
  type Call,
  type Comprehension,
  type Expression,
  type ExpressionVisitor,
  type Identifier,
  type ListLiteral,
  type Literal,
  type MapLiteral,
  type ObjectLiteral,
  type Select,
  visit,
} from "../syntax/ast.ts"
import { childrenOf } from "../syntax/expressions-in.ts"
import { isOptional, type Type } from "../types/types.ts"
import { EvaluationError, fail, type Value } from "../values/value.ts"
import { planCall } from "./calls.ts"
import { planComprehension } from "./comprehensions.ts"
import { planList, planMap, planObject } from "./constructors.ts"
import { type Plan, planConstant } from "./frame.ts"
import { planSelect } from "./selections.ts"

/** The methods of optionals that return a value of another type where there is no optional. */
const choices: ReadonlySet<string> = new Set(["or", "orValue"])

/** Turns a checked tree into closures. It owns the slots that variables live in. */
export class Planner implements ExpressionVisitor<Plan> {
  readonly checked: CheckedExpression
  readonly environment: Environment
  /** The variables of the environment that the expression reads, and their slots. */
  readonly variables = new Map<string, number>()
  /** Macros use a part of the text twice: it is planned once. */
  private readonly planned = new Map<Expression, { readonly plan: Plan; readonly locals: ReadonlyMap<string, number> }>()
  private slotCount = 0
  private provenTypes: boolean | undefined
  private locals: ReadonlyMap<string, number> = new Map()

  constructor(checked: CheckedExpression, environment: Environment) {
    this.checked = checked
    this.environment = environment
  }

  /**
   * Whether every value is of the type that the checker found. `or` and `orValue` of what turns out to be no optional return it, and the checker takes
   * null for an optional: `null.orValue('a')` is a string to it.
   */
  get provesTypes(): boolean {
    this.provenTypes ??= this.hasOnlyProvenTypes()
    return this.provenTypes
  }

  private hasOnlyProvenTypes(): boolean {
    const nodes = new Set([this.checked.expression])
    for (const node of nodes) for (const child of childrenOf(node)) nodes.add(child)
    const all = [...nodes]
    const targets = all.flatMap((node) => (node.kind === "call" && node.target && choices.has(node.function) ? [node.target] : []))
    if (targets.length === 0) return true
    return targets.every((target) => isOptional(this.typeOf(target))) && !all.some((node) => node.kind === "literal" && node.value === null)
  }

  /** How many slots a frame needs. */
  get slots(): number {
    return this.slotCount
  }

  plan(node: Expression): Plan {
    const known = this.planned.get(node)
    if (known?.locals === this.locals) return known.plan
    const plan = visit(node, this)
    this.planned.set(node, { plan, locals: this.locals })
    return plan
  }

  literal({ value }: Literal): Plan {
    return planConstant(value)
  }

  identifier(node: Identifier): Plan {
    return this.planName(node) ?? fail(`undeclared reference to '${node.name}'`)
  }

  select(node: Select): Plan {
    return this.planName(node) ?? planSelect(this, node)
  }

  call(node: Call): Plan {
    return planCall(this, node)
  }

  list(node: ListLiteral): Plan {
    return planList(this, node)
  }

  map(node: MapLiteral): Plan {
    return planMap(this, node)
  }

  object(node: ObjectLiteral): Plan {
    return planObject(this, node)
  }

  comprehension(node: Comprehension): Plan {
    return planComprehension(this, node)
  }

  typeOf(node: Expression): Type {
    return this.checked.typeOf(node)
  }

  /** Gives the names of a comprehension slots of their own while its parts are planned. */
  withLocals<T>(names: readonly string[], planInner: (slots: readonly number[]) => T): T {
    const outer = this.locals
    const slots = names.map(() => this.slotCount++)
    this.locals = new Map([...outer, ...names.map((name, index) => [name, slots[index] as number] as const)])
    const result = planInner(slots)
    this.locals = outer
    return result
  }

  /** Returns the slot of a comprehension's variable, if the node names one. */
  localSlot(node: Expression): number | undefined {
    return node.kind === "identifier" ? this.locals.get(node.name) : undefined
  }

  /** Plans what the checker resolved to a variable or a type. */
  private planName(node: Expression): Plan | undefined {
    const reference = this.checked.reference(node)
    if (reference?.kind === "type") return planConstant(reference.type)
    if (reference?.kind !== "variable") return undefined
    if (reference.name === accumulatorName) return planAccumulator(this.locals.get(reference.name) as number)
    return planVariable(reference.name, this.locals.get(reference.name) ?? this.variableSlot(reference.name))
  }

  private variableSlot(name: string): number {
    const slot = this.variables.get(name) ?? this.slotCount++
    this.variables.set(name, slot)
    return slot
  }
}

function planVariable(name: string, slot: number): Plan {
  return {
    step(frame) {
      frame.charge(1)
      const value = frame.slots[slot] as Value | undefined
      return value ?? missing(name, value)
    },
    chain: { discount: 1 },
  }
}

function planAccumulator(slot: number): Plan {
  return {
    step(frame) {
      frame.charge(1)
      const value = frame.slots[slot]
      if (value instanceof EvaluationError) throw value
      return value as Value
    },
    chain: { discount: 1 },
  }
}

/** Null is a value; only undefined says that the activation has no such variable. */
function missing(name: string, value: Value | undefined): Value {
  return value === null ? null : fail(`no such attribute(s): ${name}`)
}
