import { hasFinalizer, type KubeObject } from "@pilothouse/api"

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
