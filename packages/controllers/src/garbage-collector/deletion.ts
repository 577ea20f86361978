import { hasFinalizer, type KubeObject } from "@pilothouse/api"
import { type DeleteOptions, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import { unblockPatch } from "./patches.ts"

/** Added by the API server on a deletion with a policy; removed only here. */
export const orphanFinalizer = "orphan"
export const foregroundFinalizer = "foregroundDeletion"

/** Reports whether it is being deleted, but not before its dependents are orphaned. */
export function isOrphaning(object: KubeObject): boolean {
  return isDeleting(object) && hasFinalizer(object, orphanFinalizer)
}

/** Reports whether it is being deleted, but not before the dependents that block it. */
export function isWaitingForDependents(object: KubeObject): boolean {
  return isDeleting(object) && hasFinalizer(object, foregroundFinalizer)
}

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

type Policy = NonNullable<DeleteOptions["propagationPolicy"]>

/** Plans to delete an object without an owner left. */
export function deletionPlan(observed: Observed): PlanBuilder {
  const { of, object, owners, dependents } = observed
  const reason = deletionReason(observed)
  const waiting = owners.some(({ state }) => state === "waiting")
  // Its owner is deleted after all of its descendants.
  const policy = waiting && dependents.length > 0 ? "Foreground" : ownPolicy(object)
  const built = plan()
  const isCycle = waiting && dependents.some((dependent) => isWaitingForDependents(dependent.object))
  const unblocks = isCycle && object.metadata.ownerReferences?.some(({ blockOwnerDeletion }) => blockOwnerDeletion)
  if (unblocks) {
    // In this order: once it is being deleted its owners are not checked any more, and a remaining block would stay.
    built
      .operation(unblockPatch({ of, object }, "a dependent waits for its own dependents: in a cycle each would wait for the other"))
      .nextStep()
  }
  const { uid, resourceVersion } = object.metadata
  // With the resourceVersion: a concurrent write that adds or removes an owner wins. The patch before has changed it.
  const preconditions = unblocks ? { uid } : { uid, resourceVersion }
  return built.operation({ do: "delete", of, object, reason, options: { propagationPolicy: policy, preconditions } })
}

/** Its finalizers already say what happens to its dependents. */
function ownPolicy(object: KubeObject): Policy {
  if (hasFinalizer(object, orphanFinalizer)) return "Orphan"
  return hasFinalizer(object, foregroundFinalizer) ? "Foreground" : "Background"
}

function deletionReason({ owners }: Observed): string {
  const reasons = owners.map(
    ({ reference: { kind, name }, state }) => `its owner ${kind} ${name} ${state === "absent" ? "is gone" : "waits for it to go"}`,
  )
  return reasons.join(" and ")
}
