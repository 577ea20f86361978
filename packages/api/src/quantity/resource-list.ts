import { type Amount, addAmounts, compareAmounts, isZeroAmount, subtractAmounts, zeroAmount } from "./amount.ts"
import { formatQuantity } from "./quantity-format.ts"
import { parseQuantity } from "./quantity-parse.ts"
import type { Quantity } from "./scalars.ts"

/** As it stands in objects: { cpu: "100m", memory: "64Mi" }. */
export type ResourceList = Readonly<Record<string, Quantity>>

/** The same, read: what is calculated with. A resource that is not there is not asked for, which is more than zero of it. */
export type Resources = ReadonlyMap<string, Amount>

/** Parses the quantities of a ResourceList. */
export function parseResources(list: ResourceList | undefined): Resources {
  return new Map(Object.entries(list ?? {}).map(([name, quantity]) => [name, parseQuantity(quantity)]))
}

/** Writes amounts as the quantities of a ResourceList. */
export function formatResources(resources: Resources): ResourceList {
  return Object.fromEntries(Array.from(resources, ([name, amount]) => [name, formatQuantity(amount)]))
}

/** Each resource that is in one of the two. */
export function addResources(a: Resources, b: Resources): Resources {
  return merged(a, b, (left, right) => (left === undefined ? right : addAmounts(left, right)))
}

/** Subtracts the second list from the first; an amount is negative where the second has more. */
export function subtractResources(a: Resources, b: Resources): Resources {
  return merged(a, b, (left, right) => subtractAmounts(left ?? zeroAmount, right))
}

/** Returns for each resource the greater amount of both lists. */
export function maxResources(a: Resources, b: Resources): Resources {
  return merged(a, b, (left, right) => (left === undefined || compareAmounts(right, left) > 0 ? right : left))
}

function merged(a: Resources, b: Resources, combine: (left: Amount | undefined, right: Amount) => Amount): Resources {
  const result = new Map(a)
  for (const [name, amount] of b) result.set(name, combine(a.get(name), amount))
  return result
}

/** The resources of which more is asked than there is; none means that it fits. Asking for zero always fits. */
export function lackingResources(asked: Resources, available: Resources): readonly string[] {
  return Array.from(asked.keys()).filter((name) => {
    const amount = asked.get(name)!
    return !isZeroAmount(amount) && compareAmounts(amount, available.get(name) ?? zeroAmount) > 0
  })
}

/** Reports whether both hold the same amounts, however they are written: 1 is 1000m. */
export function equalResources(a: Resources, b: Resources): boolean {
  if (a.size !== b.size) return false
  return Array.from(a).every(([name, amount]) => {
    const other = b.get(name)
    return other !== undefined && compareAmounts(amount, other) === 0
  })
}
