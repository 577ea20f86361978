import { type KubeObject, keyOf } from "@pilothouse/api"
import { type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, countFlag, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { podsByClaim } from "../shared/pods-by-claim.ts"
import { decide, settle } from "./decide.ts"
import { ephemeralVolumeMetrics } from "./metrics.ts"
import { ephemeralVolumes, observe } from "./observe.ts"

export const ephemeralVolumeDescriptor = descriptor({
  name: "ephemeral-volume-controller",
  aliases: ["ephemeral-volume"],
  flags: { "concurrent-ephemeralvolume-syncs": countFlag(5, "pods with ephemeral volumes worked on at once") },
  create: (set, { metrics }) => ephemeralVolumeController({ metrics, concurrentSyncs: set["concurrent-ephemeralvolume-syncs"] }),
})

/**
 * Makes the claim behind each ephemeral volume of a pod, `<pod>-<volume>`, owned by the pod, so that it goes with it.
 * Watches pods that have such volumes, and claims that are deleted under them; a claim of that name with another owner is left alone.
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

/** Volumes of a pod never change: one reconcile when it is added is enough, and updates of its status enqueue nothing. */
function hasEphemeralVolumes(change: Change<KubeObject>): boolean {
  return isNew(change) && ephemeralVolumes(change.object as Pod).length > 0
}

/** A pod that was deleted and recreated may be seen as an update. */
function isNew(change: Change<KubeObject>): boolean {
  return change.type === "added" || (change.type === "updated" && change.old.metadata.uid !== change.object.metadata.uid)
}
