import { type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import { descriptor } from "../descriptor.ts"
import { podClaimKeys, podsByClaim } from "../shared/pods-by-claim.ts"
import { decide } from "./decide.ts"
import { observe } from "./observe.ts"
import { SharedLists } from "./shared-lists.ts"
import { concernsClaims } from "./users.ts"

/** How many claims may wait for one list of pods. Upstream lists once for all claims of a namespace that are in its queue. */
const sharing = 50

/**
 * Keeps a claim that somebody deletes for as long as a pod on a node uses it, and tells of a bound one whether any pod refers to it.
 * Watches claims and pods; writes its finalizer and the condition Unused. Asks the server for the pods of the namespace before it says "none".
 */
export function pvcProtectionController(): Controller {
  const lists = new SharedLists<readonly Pod[]>()
  return controller("persistentvolumeclaim-protection-controller", {
    for: persistentVolumeClaims,
    ignoreOwnStatusWrites: true,
    predicate: ({ type }) => type !== "deleted",
    watches: [watch(pods, "a pod that names it came, stopped or is gone", podClaimKeys, { predicate: concernsClaims })],
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
