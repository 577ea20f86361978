import { hasFinalizer, type KubeObject } from "@pilothouse/api"
import { type DeleteOptions, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import { unblockPatch } from "./patches.ts"

/** Put on by the API server when somebody deletes with a policy; taken off only here. */
export const orphanFinalizer = "orphan"
export const foregroundFinalizer = "foregroundDeletion"

/** It is to go, but not before what it owns has been let go. */
export function isOrphaning(object: KubeObject): boolean {
  return isDeleting(object) && hasFinalizer(object, orphanFinalizer)
}

/** It is to go, but not before what blocks its deletion has gone. */
export function isWaitingForDependents(object: KubeObject): boolean {
  return isDeleting(object) && hasFinalizer(object, foregroundFinalizer)
}

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

type Policy = NonNullable<DeleteOptions["propagationPolicy"]>

/** Deletes what nobody owns any more. */
export function deletionPlan(observed: Observed): PlanBuilder {
  const { of, object, owners, dependents } = observed
  const reason = deletionReason(observed)
  const waiting = owners.some(({ state }) => state === "waiting")
  // Its owner wants all of its descendants to be gone before itself.
  const policy = waiting && dependents.length > 0 ? "Foreground" : ownPolicy(object)
  const built = plan()
  const isCycle = waiting && dependents.some((dependent) => isWaitingForDependents(dependent.object))
  const unblocks = isCycle && object.metadata.ownerReferences?.some(({ blockOwnerDeletion }) => blockOwnerDeletion)
  if (unblocks) {
    // In this order: once it is being deleted nobody looks at its owners any more, and a block that is still there then would stay.
    built
      .operation(unblockPatch({ of, object }, "a dependent waits for its own dependents: in a cycle each would wait for the other"))
      .nextStep()
  }
  const { uid, resourceVersion } = object.metadata
  // With the resourceVersion: whoever gave it a new owner meanwhile, or let it go, wins. The patch before has changed it.
  const preconditions = unblocks ? { uid } : { uid, resourceVersion }
  return built.operation({ do: "delete", of, object, reason, options: { propagationPolicy: policy, preconditions } })
}

/** Somebody has said already what is to become of its dependents. */
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
