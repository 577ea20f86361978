import { controllerOf, keyOf } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import { type ControllerSpec, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { matchingSelectors } from "../shared/selector-index.ts"
import { countStaleSkips } from "../shared/stale-sync-skips.ts"
import { decide, settle } from "./decide.ts"
import { replicaSetFamilies, replicaSetMetrics } from "./metrics.ts"
import { type Observed, observe, orphanPods, podsByController, replicaSetsByController } from "./observe.ts"
import type { ReplicaKind, Replicated } from "./replica-kind.ts"

/** Returns the controller that ReplicaSets and ReplicationControllers share. */
export function replicaControllerSpec<T extends Replicated>(kind: ReplicaKind<T>, metrics?: Metrics): ControllerSpec<Observed> {
  const orphan = watch(pods, "an orphan pod matches", (pod, read) =>
    controllerOf(pod) === undefined ? matchingSelectors(read, kind.bySelector, pod).map(keyOf) : [],
  )
  const siblings = kind.hasSiblings ? [replicaSetsByController] : []
  return {
    for: kind.of,
    ignoreOwnStatusWrites: true,
    owns: [pods],
    watches: [orphan],
    indexes: [podsByController, orphanPods, kind.bySelector, ...siblings],
    observe: (key, read) => observe(key, read, kind),
    decide,
    settle,
    onReconciled: metrics && replicaSetMetrics(metrics),
    onCacheLagging: metrics && countStaleSkips(metrics, replicaSetFamilies.skips),
  }
}
