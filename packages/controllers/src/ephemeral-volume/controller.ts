import { keyOf } from "@pilothouse/api"
import { persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { podsByClaim } from "../shared/pods-by-claim.ts"
import { decide } from "./decide.ts"
import { ephemeralVolumeMetrics } from "./metrics.ts"
import { observe } from "./observe.ts"
import { settle } from "./settle.ts"
import { hasEphemeralVolumes } from "./wake.ts"

/**
 * Makes the claim behind each ephemeral volume of a pod, `<pod>-<volume>`, owned by the pod, so that it goes with it.
 * Watches pods that have such volumes, and claims that are deleted under them; a claim of that name that is somebody else's is left alone.
 */
export function ephemeralVolumeController({
  metrics,
  concurrentSyncs = 5,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  return controller("ephemeral-volume-controller", {
    for: pods,
    predicate: hasEphemeralVolumes,
    watches: [
      watch(persistentVolumeClaims, "a claim of its volumes is gone", (claim, read) => read.byIndex(podsByClaim, keyOf(claim)).map(keyOf), {
        predicate: ({ type }) => type === "deleted",
      }),
    ],
    indexes: [podsByClaim],
    maxConcurrentReconciles: concurrentSyncs,
    eventSource: "ephemeral_volume",
    observe,
    decide,
    settle,
    onReconciled: metrics && ephemeralVolumeMetrics(metrics),
  })
}
