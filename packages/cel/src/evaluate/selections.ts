import type { FieldDeclaration, Reader } from "../environment/environment.ts"
import type { Call, Expression, Select } from "../syntax/ast.ts"
import { type Type, type TypeKind, unwrapOptional } from "../types/types.ts"
import { displayValue } from "../values/display.ts"
import { goTypeOf } from "../values/go-types.ts"
import { isDouble, isInt, kindOf } from "../values/kinds.ts"
import { type AnyMap, mapGet } from "../values/maps.ts"
import { doubleValue, EvaluationError, fail, type JsonObject, Optional, Uint, type Value } from "../values/value.ts"
import type { Frame, Plan, Step } from "./frame.ts"
import type { Planner } from "./planner.ts"
import { readerOf } from "./readers.ts"

/** Finds what a value has under a key; undefined if it has nothing. */
type Find = (container: Value, key: Value) => Value | undefined

/** Plans `operand.field`, and `has(operand.field)`. */
export function planSelect(planner: Planner, node: Select): Plan {
  const find = fieldFinder(planner, planner.typeOf(node.operand), node.field)
  const operand = planner.plan(node.operand)
  if (node.testOnly) return planPresence(planner, operand, node.field, find)
  return planAccess(operand, () => node.field, 0, accessOf(planner, find, isOptional(planner, node.operand)))
}

/** Plans `operand[index]`, `operand[?index]` and `operand.?field`. */
export function planIndex(planner: Planner, { function: name, args }: Call): Plan {
  const [operandNode, indexNode] = args as [Expression, Expression]
  const operand = planner.plan(operandNode)
  const index = planner.plan(indexNode)
  if (index.constant && !qualifiers.has(kindOf(index.constant.value))) fail(`invalid qualifier type: ${goTypeOf(index.constant.value)}`)
  const optional = name !== "_[_]" || isOptional(planner, operandNode)
  const field = name === "_?._" && index.constant ? (index.constant.value as string) : undefined
  const find = field === undefined ? findIndexed : fieldFinder(planner, planner.typeOf(operandNode), field)
  return planAccess(operand, index.step, -(index.chain?.discount ?? 0), accessOf(planner, find, optional))
}

/** How something is found in a value: `findIfPresent` takes for absent what is not there. */
interface Access {
  readonly find: Find
  readonly findIfPresent: Find
  readonly optional: boolean
}

function accessOf({ environment }: Planner, find: Find, optional: boolean): Access {
  return { find, findIfPresent: environment.errorOnBadPresenceTest ? strictly(find) : find, optional }
}

/** What is no container has no fields to ask for. */
function strictly(find: Find): Find {
  return (container, key) => {
    const found = find(container, key)
    if (found === undefined && !Array.isArray(container) && kindOf(container) !== "map") fail(`no such key: ${displayValue(key)}`)
    return found
  }
}

function isOptional(planner: Planner, node: Expression): boolean {
  return unwrapOptional(planner.typeOf(node)).optional
}

/** A selection costs one unit, and one more where its operand is no chain. */
function planAccess(operand: Plan, key: Step, keyDiscount: number, { find, findIfPresent, optional }: Access): Plan {
  const head = operand.chain ? 0 : 1
  const evaluateOperand = operand.step
  const chain = { discount: operand.chain?.discount ?? 1 }
  if (optional) {
    return {
      chain,
      step(frame) {
        const container = evaluated(frame, evaluateOperand, head)
        frame.charge(head)
        return accessOptional(frame, container, key, { find: findIfPresent, keyDiscount })
      },
    }
  }
  const units = 1 + head + keyDiscount
  return {
    chain,
    step(frame) {
      const container = evaluated(frame, evaluateOperand, head)
      const wanted = evaluated(frame, key, units)
      if (container instanceof Optional) {
        frame.charge(units - 1)
        return accessOptional(frame, container, () => wanted, { find: findIfPresent, keyDiscount: 0 })
      }
      frame.charge(units)
      return find(container, wanted) ?? absent(container, wanted, find)
    },
  }
}

/** Evaluates a part of a selection; if it fails, the selection still costs these units. */
function evaluated<T>(frame: Frame, step: (frame: Frame) => T, units: number): T {
  try {
    return step(frame)
  } catch (thrown) {
    if (thrown instanceof EvaluationError) frame.charge(units)
    throw thrown
  }
}

/** Selects from an optional or into one: what is absent is `optional.none()`, and finding that out costs nothing. */
function accessOptional(
  frame: Frame,
  container: Value,
  key: Step,
  { find, keyDiscount }: { readonly find: Find; readonly keyDiscount: number },
): Value {
  const inner = container instanceof Optional ? container.value : container
  if (inner === undefined) return Optional.none
  const found = evaluated(frame, () => find(inner, key(frame)), keyDiscount)
  frame.charge(keyDiscount + (found === undefined ? 0 : 1))
  return found === undefined ? Optional.none : new Optional(found)
}

/** Null and undefined both end up here: null is a value, undefined an error. */
function absent(container: Value, key: Value, find: Find): Value {
  if (find(container, key) === null) return null
  if (Array.isArray(container)) return fail(`index out of bounds: ${displayValue(key)}`)
  return fail(`no such key: ${displayValue(key)}`)
}

/** `has()` costs what its operand costs; in environments where it is not free, one unit more. */
function planPresence(planner: Planner, operand: Plan, field: string, find: Find): Plan {
  const own = planner.environment.presenceTestCost ? 1 : 0
  const units = (operand.chain ? 0 : 1) + own
  const unitsOfFailure = operand.chain ? own - 1 : own
  const evaluateOperand = operand.step
  return {
    chain: { discount: own },
    step(frame) {
      const container = evaluated(frame, evaluateOperand, unitsOfFailure)
      frame.charge(units)
      const inner = container instanceof Optional ? container.value : container
      if (inner === undefined) return false
      return find(inner, field) !== undefined
    },
  }
}

/** Returns how a field is found: by its declaration where the operand's type has one, by its name otherwise. */
function fieldFinder(planner: Planner, operandType: Type, field: string): Find {
  const { type } = unwrapOptional(operandType)
  const declared = type.kind === "object" ? planner.environment.object(type.name)?.fields.get(field) : undefined
  if (!declared) return findByName
  return declaredField(declared, declared.property ?? field, readerOf(planner.environment, declared, `field ${field} of ${type.name}`))
}

function declaredField({ nullIsAbsent }: FieldDeclaration, property: string, read: Reader | undefined): Find {
  const own = property in Object.prototype ? getOwn(property) : (container: Value) => (container as JsonObject | null)?.[property]
  const get = nullIsAbsent ? (container: Value) => own(container) ?? undefined : own
  if (!read) return get
  return (container) => {
    const value = get(container)
    return value === undefined ? undefined : read(value)
  }
}

/** Names that every object inherits need a test of ownership. */
function getOwn(property: string): (container: Value) => Value | undefined {
  return (container) =>
    container !== null && Object.hasOwn(container as JsonObject, property) ? (container as JsonObject)[property] : undefined
}

/** Nothing but maps has names; what is asked of a list must be a number. */
function findByName(container: Value, key: Value): Value | undefined {
  if (Array.isArray(container)) return container[listIndex(key)]
  return kindOf(container) === "map" ? mapGet(container as AnyMap, key) : undefined
}

/** Finds an item of a list by its index or an entry of a map by its key. */
export function findIndexed(container: Value, key: Value): Value | undefined {
  const kind = kindOf(key)
  if (!qualifiers.has(kind)) fail(`invalid qualifier type: ${jsonTypes[kind] ?? goTypeOf(key)}`)
  return findByName(container, key)
}

/** The types of what can stand in brackets. */
const qualifiers: ReadonlySet<TypeKind> = new Set(["bool", "double", "int", "string", "uint"])

/** How Go names the types of JSON. */
const jsonTypes: Readonly<Partial<Record<TypeKind, string>>> = {
  list: "[]interface {}",
  map: "map[string]interface {}",
  null: "<nil>",
}

/** Returns the index that a number of any type counts. */
function listIndex(key: Value): number {
  if (isInt(key)) return Number(key)
  if (key instanceof Uint) return Number(key.value)
  if (isDouble(key)) {
    const number = doubleValue(key)
    return Number.isInteger(number) ? number : fail(`unsupported index value ${number} in list`)
  }
  return fail(`unsupported index type '${kindOf(key)}' in list`)
}
