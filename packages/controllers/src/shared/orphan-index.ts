import { controllerOf, type Descriptor, type KubeObject, matchesLabels, type Selector } from "@pilothouse/api"
import { type Index, index, type Reader } from "@pilothouse/runtime"
import { selectorBuckets } from "./selector-index.ts"

/** Indexes objects without a controller by each of their labels: the few that may be adopted, among the many that are owned. */
export function orphansByLabel<T extends KubeObject>(of: Descriptor<T>): Index<T> {
  return index(of, "orphan-label", (object) => {
    if (controllerOf(object) !== undefined) return []
    const labels = Object.entries(object.metadata.labels ?? {}).map(([name, value]) => `${name}=${value}`)
    return ["*", ...labels].map((bucket) => `${object.metadata.namespace}/${bucket}`)
  })
}

/** The orphans of a namespace that a selector matches. A selector without requirements adopts nothing. */
export function orphansMatching<T extends KubeObject>(read: Reader, by: Index<T>, namespace: string, selector: Selector): readonly T[] {
  const candidates = selectorBuckets(selector).flatMap((bucket) => read.byIndex(by, `${namespace}/${bucket}`))
  return candidates.filter((candidate) => matchesLabels(selector, candidate.metadata.labels ?? {}))
}
