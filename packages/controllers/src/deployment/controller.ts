import { controllerOf, isPodTerminal, keyOf, selectorOf } from "@pilothouse/api"
import { deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, countFlag, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { matchingSelectors, selectorIndex } from "../shared/selector-index.ts"
import { decide } from "./decide.ts"
import { isRecreate } from "./fenceposts.ts"
import { observe, orphanReplicaSets, podsByController, replicaSetsByController } from "./observe.ts"
import { settle } from "./settle.ts"

export const deploymentDescriptor = descriptor({
  name: "deployment-controller",
  aliases: ["deployment"],
  flags: {
    "concurrent-deployment-syncs": countFlag(5, "Deployments worked on at once"),
  },
  create: (set) => deploymentController({ concurrentSyncs: set["concurrent-deployment-syncs"] }),
})

const deploymentsBySelector = selectorIndex(deployments, ({ spec }) => selectorOf(spec?.selector))

/**
 * Replaces pods of an old template by pods of a new one, a few at a time.
 * Watches Deployments, their ReplicaSets, and pods where Recreate waits for them to go; makes a ReplicaSet per template, adopts and releases
 * ReplicaSets, moves replicas between them within maxSurge and maxUnavailable, keeps their revisions and clears old ones away; writes the
 * Deployment's status and revision, and the Deployment itself only to roll back. One move per reconcile: whatever happens between two of them counts.
 */
export function deploymentController({ concurrentSyncs = 5 }: { readonly concurrentSyncs?: number } = {}): Controller {
  return controller("deployment-controller", {
    for: deployments,
    owns: [replicaSets],
    watches: [
      watch(replicaSets, "an orphaned ReplicaSet matches", (set, read) =>
        controllerOf(set) === undefined ? matchingSelectors(read, deploymentsBySelector, set).map(keyOf) : [],
      ),
      watch(pods, "the last pod of a ReplicaSet is gone, and Recreate waits for old ones to go", deploymentsWaitingForPod, {
        predicate: hasPodEnded,
      }),
    ],
    indexes: [deploymentsBySelector, replicaSetsByController, orphanReplicaSets, podsByController],
    maxConcurrentReconciles: concurrentSyncs,
    observe,
    decide,
    settle,
  })
}

/** Recreate waits for a pod until it is gone or has finished; all other changes of pods show in their ReplicaSets. */
function hasPodEnded(change: Change<Pod>): boolean {
  if (change.type !== "updated") return change.type === "deleted"
  return isPodTerminal(change.object) && !isPodTerminal(change.old)
}

/** The Deployment with strategy Recreate whose ReplicaSet had the pod, if that was the last one: while others may still run, it would go on waiting. */
function deploymentsWaitingForPod(pod: Pod, read: Reader): readonly string[] {
  const ofPod = controllerOf(pod)
  const set = ofPod?.kind === "ReplicaSet" ? read.get(replicaSets, `${pod.metadata.namespace}/${ofPod.name}`) : undefined
  const ofSet = set !== undefined && set.metadata.uid === ofPod?.uid ? controllerOf(set) : undefined
  const deployment = ofSet?.kind === "Deployment" ? read.get(deployments, `${pod.metadata.namespace}/${ofSet.name}`) : undefined
  const waits = deployment !== undefined && deployment.metadata.uid === ofSet?.uid && isRecreate(deployment)
  return waits && read.byIndex(podsByController, ofPod?.uid ?? "").every(isPodTerminal) ? [keyOf(deployment)] : []
}
