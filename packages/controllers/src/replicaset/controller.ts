import { selectorOf } from "@pilothouse/api"
import { type ReplicaSet, replicaSets } from "@pilothouse/api/apps/v1"
import { type Controller, controller, countFlag } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { selectorIndex } from "../shared/selector-index.ts"
import { replicaControllerSpec } from "./replica-controller.ts"
import type { ReplicaKind } from "./replica-kind.ts"

export const replicaSetKind: ReplicaKind<ReplicaSet> = {
  of: replicaSets,
  bySelector: selectorIndex(replicaSets, ({ spec }) => selectorOf(spec?.selector)),
  countsTerminating: true,
  hasSiblings: true,
}

/**
 * Maintains the number of live pods that a ReplicaSet specifies.
 * Watches ReplicaSets and pods; adopts orphans that match its selector and releases pods that do not match any more; creates missing pods with
 * slow start, and deletes the least valuable surplus pods, at most 500 at once; writes the status, with ReplicaFailure when pods are refused.
 * Never acts on a cache that has not seen its own last write: no pod is created twice.
 */
export function replicaSetController({
  metrics,
  concurrentSyncs = 5,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  return controller("replicaset-controller", {
    ...replicaControllerSpec(replicaSetKind, metrics),
    maxConcurrentReconciles: concurrentSyncs,
  })
}

export const replicaSetDescriptor = descriptor({
  name: "replicaset-controller",
  aliases: ["replicaset"],
  flags: {
    "concurrent-replicaset-syncs": countFlag(5, "ReplicaSets worked on at once"),
  },
  create: (set, { metrics }) => replicaSetController({ metrics, concurrentSyncs: set["concurrent-replicaset-syncs"] }),
})
