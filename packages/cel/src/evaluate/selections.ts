import type { FieldDeclaration } from "../environment/environment.ts"
import type { Call, Expression, Select } from "../syntax/ast.ts"
import { type Type, unwrapOptional } from "../types/types.ts"
import { displayValue } from "../values/display.ts"
import { isDouble, isInt, kindOf } from "../values/kinds.ts"
import { type AnyMap, mapGet } from "../values/maps.ts"
import { doubleValue, fail, type JsonObject, Optional, Uint, type Value } from "../values/value.ts"
import type { Frame, Plan, Step } from "./frame.ts"
import type { Planner } from "./planner.ts"

/** Finds what a value has under a key; undefined if it has nothing. */
type Find = (container: Value, key: Value) => Value | undefined

/** Plans `operand.field`, and `has(operand.field)`. */
export function planSelect(planner: Planner, node: Select): Plan {
  const find = fieldFinder(planner, planner.typeOf(node.operand), node.field)
  const operand = planner.plan(node.operand)
  if (node.testOnly) return planPresence(planner, operand, node.field, find)
  return planAccess(operand, () => node.field, 0, { find, optional: isOptional(planner, node.operand) })
}

/** Plans `operand[index]`, `operand[?index]` and `operand.?field`. */
export function planIndex(planner: Planner, { function: name, args }: Call): Plan {
  const [operandNode, indexNode] = args as [Expression, Expression]
  const operand = planner.plan(operandNode)
  const index = planner.plan(indexNode)
  const optional = name !== "_[_]" || isOptional(planner, operandNode)
  const field = name === "_?._" && index.constant ? (index.constant.value as string) : undefined
  const find = field === undefined ? findIndexed : fieldFinder(planner, planner.typeOf(operandNode), field)
  return planAccess(operand, index.step, -(index.chain?.discount ?? 0), { find, optional })
}

function isOptional(planner: Planner, node: Expression): boolean {
  return unwrapOptional(planner.typeOf(node)).optional
}

/** A selection costs one unit, and one more where its operand is no chain. */
function planAccess(
  operand: Plan,
  key: Step,
  keyDiscount: number,
  { find, optional }: { readonly find: Find; readonly optional: boolean },
): Plan {
  const head = operand.chain ? 0 : 1
  const evaluateOperand = operand.step
  const chain = { discount: operand.chain?.discount ?? 1 }
  if (optional) {
    return {
      chain,
      step(frame) {
        const container = evaluateOperand(frame)
        frame.charge(head)
        return accessOptional(frame, container, key, { find, keyDiscount })
      },
    }
  }
  const units = 1 + head + keyDiscount
  return {
    chain,
    step(frame) {
      const container = evaluateOperand(frame)
      const wanted = key(frame)
      frame.charge(units)
      if (container instanceof Optional) return accessOptional(frame, container, () => wanted, { find, keyDiscount: 0 })
      return find(container, wanted) ?? absent(container, wanted, find)
    },
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
  const wanted = key(frame)
  const found = find(inner, wanted)
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
  const evaluateOperand = operand.step
  return {
    chain: { discount: own },
    step(frame) {
      const container = evaluateOperand(frame)
      frame.charge(units)
      const inner = container instanceof Optional ? container.value : container
      if (inner === undefined || kindOf(inner) !== "map") return false
      return find(inner, field) !== undefined
    },
  }
}

/** Returns how a field is found: by its declaration where the operand's type has one, by its name otherwise. */
function fieldFinder(planner: Planner, operandType: Type, field: string): Find {
  const { type } = unwrapOptional(operandType)
  const declared = type.kind === "object" ? planner.environment.object(type.name)?.fields.get(field) : undefined
  return declared ? declaredField(field, declared) : findByName
}

function declaredField(field: string, { property = field, read, nullIsAbsent }: FieldDeclaration): Find {
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
  return (container) => (Object.hasOwn(container as JsonObject, property) ? (container as JsonObject)[property] : undefined)
}

function findByName(container: Value, key: Value): Value | undefined {
  return kindOf(container) === "map" ? mapGet(container as AnyMap, key) : fail(`no such key: ${displayValue(key)}`)
}

/** Finds an item of a list by its index or an entry of a map by its key. */
export function findIndexed(container: Value, key: Value): Value | undefined {
  if (Array.isArray(container)) return container[listIndex(key)]
  if (kindOf(container) === "map") return mapGet(container as AnyMap, key)
  return fail("no such overload")
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
