import { isPodTerminal } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { forceDelete, isForced } from "./force-delete.ts"
import { markFailed } from "./mark-failed.ts"
import type { Observed } from "./observe.ts"
import { surplusOf } from "./surplus.ts"
import { isDeleted, isOutOfService } from "./wake.ts"

export interface PodGcOptions {
  /** --terminated-pod-gc-threshold: so many finished pods are kept; 0 or less keeps all. */
  readonly terminatedPodThreshold: number
}

export function decide(observed: Observed, { now }: DecideContext, { terminatedPodThreshold }: PodGcOptions): Plan {
  const built = plan()
  switch (observed.concern) {
    case "terminated":
      return remove(built, surplusOf(observed.pods, terminatedPodThreshold), now, () =>
        tooMany(observed.pods.length, terminatedPodThreshold),
      )
    case "out-of-service": {
      const stopping = isOutOfService(observed.node) ? observed.pods.filter(isDeleted) : []
      return remove(built, stopping, now, () => `its node ${observed.node.metadata.name} is out of service, and nobody there will end it`)
    }
    case "orphaned":
      return remove(built, observed.pods, now, () => `its node ${observed.node} no longer exists`, "PodGC: node no longer exists")
    case "unscheduled": {
      const going = observed.pods.filter((pod) => isDeleted(pod) && !pod.spec?.nodeName)
      return remove(built, going, now, () => "it is deleted and was never given to a node that could end it")
    }
  }
}

/** A pod that still counts as running is marked as failed first; it is deleted when that has been written (settle). */
function remove(built: PlanBuilder, pods: readonly Pod[], now: number, reason: () => string, disrupted?: string): Plan {
  const waiting = pods.filter((pod) => !(isPodTerminal(pod) && isForced(pod)))
  for (const pod of waiting) {
    if (isPodTerminal(pod)) forceDelete(built, pod, reason())
    else markFailed(built, pod, reason(), now, disrupted)
  }
  return waiting.length > 0 ? built : built.nothing("no pod has to go")
}

function tooMany(count: number, threshold: number): string {
  return `${count} pods have finished, ${threshold} are kept`
}
