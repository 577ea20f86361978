import { deepEqual } from "@pilothouse/api"
import type { Toleration } from "@pilothouse/api/core/v1"

/** More tolerations than that are joined, and those that others cover stay: each is compared with each. */
const maxCompared = 300

/** Joins two lists of tolerations and leaves out what another of them covers; of equal ones the first stays. */
export function mergeTolerations<T extends Toleration>(first: readonly T[], second: readonly T[]): T[] {
  const all = [...first, ...second]
  if (all.length > maxCompared) return all
  const merged: T[] = []
  for (const [index, toleration] of all.entries()) {
    const isCovered =
      merged.some((other) => covers(other, toleration)) ||
      all.some((other, at) => at > index && !deepEqual(other, toleration) && covers(other, toleration))
    if (!isCovered) merged.push(toleration)
  }
  return merged
}

/** Reports whether each toleration is one that a list allows; an empty list allows everything. */
export function areAllowed(tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean {
  return allowed.length === 0 || tolerations.every((toleration) => allowed.some((one) => covers(one, toleration)))
}

/** Reports whether a toleration tolerates all that another one does. */
function covers(wider: Toleration, toleration: Toleration): boolean {
  return (
    deepEqual(wider, toleration) || (coversTaints(wider, toleration) && coversTime(wider, toleration) && coversValue(wider, toleration))
  )
}

function coversTaints({ key = "", operator, effect }: Toleration, toleration: Toleration): boolean {
  const isKey = key === (toleration.key ?? "") || (key === "" && operator === "Exists")
  return isKey && (effect === undefined || effect === toleration.effect)
}

function coversTime({ effect, tolerationSeconds: max }: Toleration, { tolerationSeconds: seconds }: Toleration): boolean {
  return effect !== "NoExecute" || max === undefined || (seconds !== undefined && seconds <= max)
}

function coversValue({ operator = "Equal", value = "" }: Toleration, toleration: Toleration): boolean {
  return operator === "Exists" || (operator === "Equal" && toleration.operator === "Equal" && (toleration.value ?? "") === value)
}
