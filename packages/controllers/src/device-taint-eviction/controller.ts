import { deepEqual, keyOf } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type ResourceClaim, type ResourceSlice, resourceClaims, resourceSlices } from "@pilothouse/api/resource/v1"
import { type Change, type Controller, controller, countFlag, exponentialLimiter, type Reader, watch } from "@pilothouse/runtime"
import { claimNamesOf, podsByResourceClaim } from "../resource-claim/claims-of-pod.ts"
import { descriptor } from "../shared/descriptor.ts"
import { decide } from "./decide.ts"
import { claimsByPool, observe, poolOf, slicesByPool } from "./observe.ts"

export const deviceTaintEvictionDescriptor = descriptor({
  name: "device-taint-eviction-controller",
  featureGate: { name: "DRADeviceTaints", maturity: "beta" },
  flags: { "concurrent-device-taint-eviction-syncs": countFlag(8, "pods with tainted devices that are worked on at once") },
  create: (set) => deviceTaintEvictionController({ concurrentSyncs: set["concurrent-device-taint-eviction-syncs"] }),
})

/** The longest backoff in milliseconds. */
const maxWait = 30_000

/**
 * Deletes the pods whose devices have NoExecute taints: at once without a toleration, otherwise when its tolerationSeconds have passed since the taint.
 * Watches pods with claims, their claims and the slices of the devices; the tolerations are those that the scheduler wrote with the devices.
 * Adds the condition DisruptionTarget before it deletes. Remembers nothing: the time of a taint is on the taint.
 */
export function deviceTaintEvictionController({ concurrentSyncs = 8 }: { readonly concurrentSyncs?: number } = {}): Controller {
  return controller("device-taint-eviction-controller", {
    for: pods,
    predicate: (change) => concernsPod(change as Change<Pod>),
    watches: [
      watch(resourceClaims, "a claim of the pod changed", podsOf, { predicate: ({ type }) => type === "added" || type === "updated" }),
      watch(resourceSlices, "devices have other taints", (slice, read) => podsOfPool(slice, read), { predicate: changesTaints }),
    ],
    indexes: [podsByResourceClaim, claimsByPool, slicesByPool],
    maxConcurrentReconciles: concurrentSyncs,
    backoff: () => exponentialLimiter({ base: 10, max: maxWait }),
    observe,
    decide: (observed, { now }) => decide(observed, now),
  })
}

function concernsPod(change: Change<Pod>): boolean {
  const { type, object } = change
  if (type === "deleted" || type === "resync" || !object.spec?.nodeName || claimNamesOf(object).length === 0) return false
  return type === "added" || change.old.spec?.nodeName !== object.spec.nodeName || change.old.metadata.uid !== object.metadata.uid
}

function podsOf(claim: ResourceClaim, read: Reader): readonly string[] {
  return claim.status?.allocation === undefined ? [] : read.byIndex(podsByResourceClaim, keyOf(claim)).map(keyOf)
}

function podsOfPool(slice: ResourceSlice, read: Reader): readonly string[] {
  return [...new Set(read.byIndex(claimsByPool, poolOf(slice)).flatMap((claim) => podsOf(claim, read)))]
}

function changesTaints(change: Change<ResourceSlice>): boolean {
  const taints = ({ spec }: ResourceSlice) => [spec.pool, (spec.devices ?? []).map((device) => [device.name, device.taints])]
  return change.type !== "resync" && (change.type !== "updated" || !deepEqual(taints(change.old), taints(change.object)))
}
