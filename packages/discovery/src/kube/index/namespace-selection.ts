import { type LabelSelector, matchesLabels, type Selector, selectorOf } from "@pilothouse/api"

/**
 * Which namespaces are looked at.
 *
 * Invariant: #selected has the names of the namespaces that were last seen with labels that match one of the selectors.
 */
export class NamespaceSelection {
  readonly #selectors: readonly Selector[] | undefined
  readonly #leftOut: ReadonlySet<string>
  readonly #selected = new Set<string>()

  /** No selectors, as in a mesh configuration without them: every namespace. */
  constructor(selectors: readonly LabelSelector[] = [], leftOut: readonly string[] = []) {
    this.#selectors = selectors.length === 0 ? undefined : selectors.map((selector) => selectorOf(selector))
    this.#leftOut = new Set(leftOut)
  }

  has(namespace: string): boolean {
    if (this.#leftOut.has(namespace)) return false
    // One whose labels are not known yet is not looked at: its objects may come before it.
    return this.#selectors === undefined || this.#selected.has(namespace)
  }

  /** Applies the labels of a namespace; undefined: it is gone. True when that changes whether it is selected. */
  put(namespace: string, labels: Readonly<Record<string, string>> | undefined): boolean {
    const before = this.has(namespace)
    const selected = labels !== undefined && this.#selectors?.some((selector) => matchesLabels(selector, labels)) === true
    if (selected) this.#selected.add(namespace)
    else this.#selected.delete(namespace)
    return this.has(namespace) !== before
  }
}
