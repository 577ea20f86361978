import type { ListLiteral, MapLiteral, ObjectLiteral } from "../syntax/ast.ts"
import { displayValue } from "../values/display.ts"
import { isStandardKey, MapValue } from "../values/maps.ts"
import { EvaluationError, fail, Optional, type Value } from "../values/value.ts"
import { Frame, type Plan, planConstant, type Step } from "./frame.ts"
import type { Planner } from "./planner.ts"

const listCost = 10
const mapCost = 30
const objectCost = 40

/** Plans a list literal; optional elements that hold nothing are left out. */
export function planList(planner: Planner, { elements, optional }: ListLiteral): Plan {
  const plans = elements.map((element) => planner.plan(element))
  const steps = plans.map(({ step }, index) => ({ step, optional: optional.has(index) }))
  const construct = charged(listCost, (frame) => {
    const list: Value[] = []
    for (const { step, optional: isOptional } of steps) {
      const value = step(frame)
      if (!isOptional) list.push(value)
      else if (!(value instanceof Optional)) fail(`cannot initialize optional list element from non-optional value ${displayValue(value)}`)
      else if (value.value !== undefined) list.push(value.value)
    }
    return list
  })
  return folded(planner, plans, construct)
}

/** A literal is charged even if a part of it fails. */
function charged(units: number, construct: Step): Step {
  return (frame) => {
    let value: Value
    try {
      value = construct(frame)
    } catch (thrown) {
      if (thrown instanceof EvaluationError) frame.charge(units)
      throw thrown
    }
    frame.charge(units)
    return value
  }
}

/** Plans a map literal. */
export function planMap(planner: Planner, { entries }: MapLiteral): Plan {
  const add = planner.environment.anyMapKeys ? setEntry : addEntry
  const planned = entries.map(({ key, value, optional }) => ({ key: planner.plan(key), value: planner.plan(value), optional }))
  const parts = planned.flatMap(({ key, value }) => [key, value])
  const construct = charged(mapCost, (frame) => {
    const map = new MapValue()
    for (const { key, value, optional } of planned) add(map, key.step(frame), value.step(frame), optional)
    return map
  })
  return folded(planner, parts, construct)
}

/** A key may be of any type, and what is written last counts: an optional that is empty removes what was before. */
function setEntry(map: MapValue, key: Value, value: Value, optional: boolean): void {
  const held = optional ? heldValue(key, value) : value
  if (held === undefined) map.delete(key)
  else map.set(key, held)
}

/** A key is of a type that the specification allows, and may occur once. */
function addEntry(map: MapValue, key: Value, value: Value, optional: boolean): void {
  if (!isStandardKey(key)) fail(`unsupported key type: ${displayValue(key)}`)
  const held = optional ? heldValue(key, value) : value
  if (held !== undefined && !map.add(key, held)) fail(`Failed with repeated key: ${displayValue(key)}`)
}

function heldValue(key: Value, value: Value): Value | undefined {
  if (value instanceof Optional) return value.value
  return fail(`cannot initialize optional entry '${displayValue(key)}' from non-optional value ${displayValue(value)}`)
}

/** Plans an object literal; the value is a plain object with the declared properties. */
export function planObject(planner: Planner, node: ObjectLiteral): Plan {
  const declared = planner.environment.object(planner.typeOf(node).name)
  const fields = node.entries.map(({ field, value, optional }) => ({
    property: declared?.fields.get(field)?.property ?? field,
    step: planner.plan(value).step,
    optional,
  }))
  const step = charged(objectCost, (frame) => {
    const object: Record<string, Value> = declared?.namesType ? withTypeName(declared.name) : {}
    for (const { property, step, optional } of fields) {
      const value = step(frame)
      const held = optional ? heldValue(property, value) : value
      if (held !== undefined) object[property] = held
    }
    return object
  })
  return { step }
}

const typeName: unique symbol = Symbol("the name of an object literal's type")

/** The name is no property of the object: nothing but `typeNameOf` sees it. */
function withTypeName(name: string): Record<string, Value> {
  return Object.defineProperty({}, typeName, { value: name })
}

/** Returns the name of the type of an object literal whose declaration says so; undefined for every other value. */
export function typeNameOf(value: object): string | undefined {
  return (value as { readonly [typeName]?: string })[typeName]
}

/** Computes a node once if all of its parts are constants and the environment folds them. */
export function folded(planner: Planner, parts: readonly Plan[], step: Step): Plan {
  const foldable = planner.environment.foldConstants && parts.every(({ constant }) => constant !== undefined)
  return foldable ? planConstant(step(new Frame([], Number.POSITIVE_INFINITY))) : { step }
}
