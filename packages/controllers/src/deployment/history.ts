import { compareInt64 } from "@pilothouse/api"
import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import { revisionOf } from "./annotations.ts"
import { oldestFirst, sizeOf } from "./replica-sets.ts"

const keepsAll = 2 ** 31 - 1

/** Old ReplicaSets beyond revisionHistoryLimit, lowest revision first. Only those without pods, and whose emptiness their controller has confirmed. */
export function outdated({ spec }: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const limit = spec?.revisionHistoryLimit
  if (limit === undefined || limit === keepsAll) return []
  const alive = old.filter((set) => set.metadata.deletionTimestamp === undefined)
  return [...alive]
    .sort(lowestRevisionFirst)
    .slice(0, Math.max(0, alive.length - limit))
    .filter(isEmpty)
}

function isEmpty(set: ReplicaSet): boolean {
  const isObserved = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0)
  return sizeOf(set) === 0 && (set.status?.replicas ?? 0) === 0 && isObserved
}

function lowestRevisionFirst(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [revisionOf(a), revisionOf(b)]
  return first === undefined || second === undefined || first === second ? oldestFirst(a, b) : compareInt64(first, second)
}
