import { type KubeObject, matchesLabels, parseLabelSelector } from "@pilothouse/api"
import type { Namespace, Node, Pod } from "@pilothouse/api/core/v1"

/** Label selectors of what is served; everything where there is none. */
export interface OwnershipOptions {
  /** "team=a,env!=test" */
  readonly namespaces?: string
  readonly pods?: string
  readonly nodes?: string
}

/** Returns why an object is skipped; undefined: it is served. */
export interface Ownership {
  namespace(namespace: Namespace | undefined): string | undefined
  pod(pod: Pod): string | undefined
  node(node: Node | undefined): string | undefined
}

export function ownership({ namespaces, pods, nodes }: OwnershipOptions = {}): Ownership {
  const check = (what: string, text: string | undefined) => {
    if (text === undefined) return () => undefined
    const selector = parseLabelSelector(text)
    return (object: KubeObject | undefined) =>
      matchesLabels(selector, object?.metadata.labels) ? undefined : `the ${what} is not one of "${text}"`
  }
  return { namespace: check("namespace", namespaces), pod: check("pod", pods), node: check("node", nodes) }
}
