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

/** By the draft that was made of the body. */
const paths = new WeakMap<object, readonly VariantPath[]>()
const none: readonly VariantPath[] = []

/** Returns where the body of a draft has variant forms; nearly always nowhere. */
export function variantPathsOf(draft: object): readonly VariantPath[] {
  return paths.get(draft) ?? none
}

/** Remembers what was found in the body of a draft. */
export function keepVariantForms(draft: object, found: readonly VariantForm[]): void {
  if (found.length === 0) return
  paths.set(
    draft,
    found.map(({ at, step }) => at.stepsTo(step)),
  )
}

/** The copy of a draft was made of the same body. */
export function shareVariantForms<T extends object>(copy: T, draft: object): T {
  const found = paths.get(draft)
  if (found !== undefined) paths.set(copy, found)
  return copy
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
