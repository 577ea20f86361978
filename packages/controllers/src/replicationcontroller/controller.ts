import { selectorFromLabels } from "@pilothouse/api"
import { type ReplicationController, replicationControllers } from "@pilothouse/api/core/v1"
import { type Controller, controller, countFlag } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { replicaControllerSpec } from "../replicaset/replica-controller.ts"
import type { ReplicaKind } from "../replicaset/replica-kind.ts"
import { descriptor } from "../shared/descriptor.ts"
import { selectorIndex } from "../shared/selector-index.ts"

const replicationControllerKind: ReplicaKind<ReplicationController> = {
  of: replicationControllers,
  bySelector: selectorIndex(replicationControllers, ({ spec }) => selectorFromLabels(spec?.selector)),
  countsTerminating: false,
  hasSiblings: false,
}

/**
 * Maintains the number of live pods that a ReplicationController specifies: the controller of ReplicaSets for an older kind.
 * Its selector is a plain map of labels, its status does not count terminating pods, and its pods are chosen without regard to siblings.
 * Its events come from `replication-controller`; --controllers calls it replicationcontroller-controller.
 */
export function replicationControllerController({
  metrics,
  concurrentSyncs = 5,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  return controller("replication-controller", {
    ...replicaControllerSpec(replicationControllerKind, metrics),
    maxConcurrentReconciles: concurrentSyncs,
  })
}

export const replicationControllerDescriptor = descriptor({
  name: "replicationcontroller-controller",
  aliases: ["replicationcontroller"],
  flags: {
    "concurrent-rc-syncs": countFlag(5, "ReplicationControllers worked on at once"),
  },
  create: (set, { metrics }) => replicationControllerController({ metrics, concurrentSyncs: set["concurrent-rc-syncs"] }),
})
