import { keyOf } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type ResourceClaim, type ResourceClaimTemplate, resourceClaims, resourceClaimTemplates } from "@pilothouse/api/resource/v1"
import { type Change, type Controller, cacheObserver, controller, countFlag, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { claimNamesOf, claimsByOwner, podsByResourceClaim, podsByTemplate } from "./claims-of-pod.ts"
import { decidePod, settlePod } from "./decide-pod.ts"
import { ClaimCounts, resourceClaimMetrics } from "./metrics.ts"
import { observePod } from "./observe-pod.ts"
import { decideClaim, isDone, observeClaim, settleClaim } from "./release.ts"

export const resourceClaimDescriptor = descriptor({
  name: "resourceclaim-controller",
  aliases: ["resource-claim-controller"],
  flags: { "concurrent-resourceclaim-syncs": countFlag(50, "pods, and claims, that are worked on at once") },
  create(set, { metrics }) {
    const concurrentSyncs = set["concurrent-resourceclaim-syncs"]
    return [resourceClaimController({ metrics, concurrentSyncs }), resourceClaimReleaseController({ metrics, concurrentSyncs })]
  },
})

interface Options {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
}

/**
 * Makes the ResourceClaim behind each claim of a pod that names a template, and records its name in the pod's status; the claim is owned by the pod.
 * Reserves allocated claims for pods that were bound without the scheduler's part of dynamic resource allocation.
 * Watches pods with claims, their claims and templates; a claim that is deleted under its pod is recreated.
 */
export function resourceClaimController({ metrics, concurrentSyncs = 50 }: Options = {}): Controller {
  const podsOf = (claim: ResourceClaim) => keyOf(claim)
  return controller("resourceclaim-controller", {
    for: pods,
    predicate: (change) => concernsClaims(change as Change<Pod>),
    watches: [
      watch(resourceClaims, "a claim of the pod changed", (claim, read) => read.byIndex(podsByResourceClaim, podsOf(claim)).map(keyOf)),
      watch(resourceClaimTemplates, "a template of the pod changed", templateUsers, { predicate: ({ type }) => type !== "deleted" }),
    ],
    indexes: [podsByResourceClaim, podsByTemplate, claimsByOwner],
    maxConcurrentReconciles: concurrentSyncs,
    fieldManager: "ResourceClaimController",
    eventSource: "resource_claim",
    observe: observePod,
    decide: decidePod,
    settle: settlePod,
    onReconciled: metrics && resourceClaimMetrics(metrics),
  })
}

const templateUsers: (template: ResourceClaimTemplate, read: Parameters<Parameters<typeof watch>[2]>[1]) => readonly string[] = (
  template,
  read,
) => read.byIndex(podsByTemplate, keyOf(template)).map(keyOf)

function concernsClaims({ type, object }: Change<Pod>): boolean {
  return type !== "deleted" && (object.spec?.resourceClaims ?? []).length > 0
}

/**
 * Takes pods that are gone or done off the reservations of a claim, and with the last one its allocation and the finalizer of the scheduler; deletes a
 * generated claim whose pod is done. Watches claims, and pods that need theirs no longer. A pod that the cache lacks is read from the server.
 */
export function resourceClaimReleaseController({ metrics, concurrentSyncs = 50 }: Options = {}): Controller {
  const counts = metrics && new ClaimCounts(metrics)
  return controller("resourceclaim-release-controller", {
    for: resourceClaims,
    predicate: ({ type }) => type !== "deleted",
    watches: [
      watch(pods, "a pod needs its claims no longer", (pod) => claimNamesOf(pod).map((name) => `${pod.metadata.namespace}/${name}`), {
        predicate: releasesClaims,
      }),
    ],
    ...(counts && { cacheObservers: [cacheObserver(resourceClaims, counts)] }),
    maxConcurrentReconciles: concurrentSyncs,
    observe: observeClaim,
    decide: decideClaim,
    settle: settleClaim,
  })
}

function releasesClaims(change: Change<Pod>): boolean {
  if (claimNamesOf(change.object).length === 0) return false
  return change.type === "deleted" || (isDone(change.object) && !(change.type === "updated" && isDone(change.old)))
}
