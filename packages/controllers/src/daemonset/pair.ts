import type { Pod } from "@pilothouse/api/core/v1"
import { isUpdated } from "./daemon-pod.ts"
import { isDeleted } from "./pods-on-nodes.ts"
import type { Situation } from "./work.ts"

/** What a node has of the old and of the present template; `tooMany` when manage still has to clear up there. */
export interface Pair {
  readonly node: string
  readonly old?: Pod
  readonly updated?: Pod
  readonly tooMany: boolean
}

export function pairOn(node: string, { daemonSet, hash, onNodes }: Situation): Pair {
  const present = (onNodes.get(node) ?? []).filter((pod) => !isDeleted(pod))
  const updated = present.filter((pod) => isUpdated(pod, daemonSet, hash))
  const old = present.filter((pod) => !isUpdated(pod, daemonSet, hash))
  return { node, old: old[0], updated: updated[0], tooMany: old.length > 1 || updated.length > 1 }
}
