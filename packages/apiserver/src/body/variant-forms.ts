import { parseQuantity, type Schema } from "@pilothouse/api"
import type { Place, Step } from "./coerced-place.ts"

/**
 * A value of a body that reads the same as what is stored of it, and that Go keeps in memory in another form: an empty list or map beside none, "1024Gi"
 * beside "1Ti". Wherever upstream compares memory with `reflect.DeepEqual`, such a value is a change.
 */
export interface VariantForm {
  /** Where it was found. */
  readonly at: Place
  readonly step: Step
}

/** From the body to the value. */
export type VariantPath = readonly Step[]

/** Where a draft has what was found in its body: it is not enumerated, so that it goes neither into copies nor into the store. */
const slot: unique symbol = Symbol("variantForms")

interface Read {
  readonly [slot]?: readonly VariantPath[]
}

const none: readonly VariantPath[] = Object.freeze([])

/** Returns where the body of a draft has variant forms; nearly always nowhere. */
export function variantPathsOf(draft: object): readonly VariantPath[] {
  return (draft as Read)[slot] ?? none
}

/** Gives a draft what was found in its body. */
export function keepVariantForms<T extends object>(draft: T, found: readonly VariantForm[]): T {
  return withPaths(
    draft,
    found.map(({ at, step }) => at.stepsTo(step)),
  )
}

/** Gives the copy of a draft what it was copied without. */
export function shareVariantForms<T extends object>(copy: T, draft: object): T {
  return withPaths(copy, variantPathsOf(draft))
}

function withPaths<T extends object>(draft: T, paths: readonly VariantPath[]): T {
  return paths.length === 0 ? draft : Object.defineProperty(draft, slot, { value: paths })
}

/** Whether Go keeps a value that is left out: an empty list or map, or empty bytes, but not a zero. */
export function isVariantOfNone(value: unknown, { format }: Schema): boolean {
  return typeof value === "object" || (value === "" && format === "byte")
}

/** Whether Go keeps a quantity in another form than its canonical text. Whole multiples of eight binary units have no text of their own in memory. */
export function isVariantQuantity(given: unknown, canonical: string): boolean {
  const text = String(given)
  if (text === canonical) return false
  const isPlainBinary = (quantity: string) => {
    const { format, text: kept } = parseQuantity(quantity)
    return format === "BinarySI" && kept === undefined && !quantity.includes(".")
  }
  return !isPlainBinary(text) || !isPlainBinary(canonical)
}
