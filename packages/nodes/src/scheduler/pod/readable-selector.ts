import { type LabelSelector, nothing, type Selector, selectorOf } from "@pilothouse/api"

/** A selector that cannot be read selects nothing: upstream's API server lets some of them through. */
export function readableSelector(selector: LabelSelector | undefined): Selector {
  try {
    return selectorOf(selector)
  } catch {
    return nothing
  }
}
