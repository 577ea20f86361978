import { type Descriptor, isEverything, type KubeObject, matchesLabels, type Selector } from "@pilothouse/api"
import { type Index, index, type Reader } from "@pilothouse/runtime"

/** Objects that select others by label, found by the labels of what they select. */
export interface SelectorIndex<T extends KubeObject> extends Index<T> {
  selectorOf(object: T): Selector
}

/**
 * Indexes each object by one label of its selector, and by "*" when the selector names none by value:
 * finding the selectors that match a pod reads a handful of objects, not the whole namespace.
 */
export function selectorIndex<T extends KubeObject>(of: Descriptor<T>, selectorOf: (object: T) => Selector): SelectorIndex<T> {
  const values = (object: T) => selectorBuckets(selectorOf(object)).map((bucket) => inNamespace(object, bucket))
  return { ...index(of, "selector", values), selectorOf }
}

/** Returns the objects of the namespace whose selector matches the labels. A selector without requirements matches nothing here. */
export function matchingSelectors<T extends KubeObject>(read: Reader, by: SelectorIndex<T>, object: KubeObject): readonly T[] {
  const labels = object.metadata.labels ?? {}
  const buckets = [...Object.entries(labels).map(([name, value]) => `${name}=${value}`), "*"]
  const candidates = buckets.flatMap((bucket) => read.byIndex(by, inNamespace(object, bucket)))
  return candidates.filter((candidate) => matchesLabels(by.selectorOf(candidate), labels))
}

/**
 * Returns the first label the selector names by value, "*" when it names none. Several buckets when it accepts one of several values, of which
 * an object has only one. None for a selector that matches nothing, or everything.
 */
export function selectorBuckets(selector: Selector): readonly string[] {
  if (selector.nothing || isEverything(selector)) return []
  const byValue = selector.requirements.find(({ operator }) => operator === "=" || operator === "==" || operator === "in")
  return byValue === undefined ? ["*"] : byValue.values.map((value) => `${byValue.key}=${value}`)
}

function inNamespace({ metadata }: KubeObject, bucket: string): string {
  return `${metadata.namespace}/${bucket}`
}
