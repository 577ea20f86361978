import { keyOf } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type CustomOperation, type Plan, plan, type Reader, type Result } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"

/** Remembers that a pod has a node until the cache says so too. */
export interface AssumePod extends CustomOperation {
  readonly do: "assume-pod"
  readonly pod: Pod
  readonly node: string
}

/**
 * Pods that were given a node and that the cache still shows without: the next decision must count them, or one free place would be given away
 * again and again until the watch has caught up.
 *
 * Always true after refresh(): each one stands in the cache, without a node. So there are never more of them than there are waiting pods.
 */
export class AssumedPods {
  readonly #byUid = new Map<string, AssumePod>()

  assume(operation: AssumePod): void {
    this.#byUid.set(operation.pod.metadata.uid ?? "", operation)
  }

  /** Forgets those of which the cache shows the node, or that they are gone. */
  refresh(read: Reader): void {
    for (const [uid, { pod }] of this.#byUid) {
      const cached = read.get(pods, keyOf(pod))
      if (cached?.metadata.uid !== uid || cached.spec?.nodeName) this.#byUid.delete(uid)
    }
  }

  has({ metadata }: Pod): boolean {
    return this.#byUid.has(metadata.uid ?? "")
  }

  on(node: string): readonly Pod[] {
    return [...this.#byUid.values()].filter((assumed) => assumed.node === node).map(({ pod }) => pod)
  }
}

/** A binding that failed is not assumed; neither is one whose answer was lost, as upstream has it: its own key finds out what became of it. */
export function settle({ pod }: Observed, results: readonly Result[]): Plan {
  const built = plan()
  for (const { operation, ok } of results) {
    if (ok !== true || operation.do !== "bind" || !("node" in operation)) continue
    const assume: AssumePod = {
      do: "assume-pod",
      to: keyOf(pod),
      because: "the cache may not show the binding yet",
      pod,
      node: operation.node,
    }
    built.operation(assume)
  }
  return built
}
