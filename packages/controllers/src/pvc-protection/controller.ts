import { persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import { claimKeysOf, podsByClaim } from "../pods-by-claim.ts"
import { decide } from "./decide.ts"
import { observe } from "./observe.ts"

/**
 * Keeps a claim that somebody deletes for as long as a pod on a node uses it, and tells of a bound one whether any pod refers to it.
 * Watches claims and pods; writes its finalizer and the condition Unused. Asks the server for the pods of the namespace before it says "none".
 */
export function pvcProtectionController(): Controller {
  return controller("persistentvolumeclaim-protection-controller", {
    for: persistentVolumeClaims,
    when: ({ type }) => type !== "deleted",
    watches: [watch(pods, "a pod that names it changed", claimKeysOf)],
    indexes: [podsByClaim],
    concurrency: 1,
    observe,
    decide,
  })
}
