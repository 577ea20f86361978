import { type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { podClaimKeys, podsByClaim } from "../shared/pods-by-claim.ts"
import { decide } from "./decide.ts"
import { observe } from "./observe.ts"
import { SharedLists } from "./shared-lists.ts"
import { changesClaimUse } from "./users.ts"

/** The most claims that share one list of pods. Upstream lists once for all queued claims of a namespace. */
const sharing = 50

/**
 * Delays the deletion of a claim while a pod on a node uses it, and reports for a bound claim whether a pod refers to it.
 * Watches claims and pods; writes its finalizer and the condition Unused. Lists the pods of the namespace from the API server before it concludes "none".
 */
export function pvcProtectionController(): Controller {
  const lists = new SharedLists<readonly Pod[]>()
  return controller("persistentvolumeclaim-protection-controller", {
    for: persistentVolumeClaims,
    ignoreOwnStatusWrites: true,
    predicate: ({ type }) => type !== "deleted",
    watches: [watch(pods, "a pod that names it came, stopped or is gone", podClaimKeys, { predicate: changesClaimUse })],
    indexes: [podsByClaim],
    maxConcurrentReconciles: sharing,
    observe: (key, read) => observe(key, read, lists),
    decide,
  })
}

export const pvcProtectionDescriptor = descriptor({
  name: "persistentvolumeclaim-protection-controller",
  aliases: ["pvc-protection"],
  create: () => pvcProtectionController(),
})
