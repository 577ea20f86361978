import { isVolumeFor, keyOf } from "@pilothouse/api"
import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { KubeOperation, PlanBuilder } from "@pilothouse/runtime"
import { bindCompleted, boundByController, hasAnnotation, withAnnotations, withoutAnnotation } from "./annotations.ts"
import { boundStatus, statusPatch, statusWrite } from "./claim-status.ts"
import { phasePatch, phaseWrite } from "./volume-phase.ts"

/**
 * Binds the two: claimRef of the volume, its phase, volumeName of the claim, its status; each only where it differs. After a crash between two of
 * the four the next reconcile continues. The volume is written at the observed version, so no two claims ever get it.
 */
export function bind(built: PlanBuilder, volume: PersistentVolume, claim: PersistentVolumeClaim): void {
  const reason = `${volume.metadata.name} is the volume for ${keyOf(claim)}`
  const boundVolume = volumeBoundTo(volume, claim)
  const boundClaim = claimBoundTo(claim, volume)
  const status = boundStatus(claim, volume)
  addInSequence(built, [
    ...(boundVolume === volume
      ? [phaseWrite(volume, "Bound", reason)]
      : [updateOf(boundVolume, reason), phasePatch(volume, "Bound", reason)]),
    ...(boundClaim === claim ? [statusWrite(claim, status, reason)] : [updateOf(boundClaim, reason), statusPatch(claim, status, reason)]),
  ])
}

function updateOf(object: PersistentVolume | PersistentVolumeClaim, reason: string): KubeOperation {
  return { do: "update", object, reason }
}

/** Each begins when the one before it has succeeded. */
function addInSequence(built: PlanBuilder, operations: readonly (KubeOperation | undefined)[]): void {
  for (const operation of operations) {
    if (operation === undefined) continue
    if (built.steps.length > 0) built.nextStep()
    built.operation(operation)
  }
}

/** Returns the claimRef; its UID distinguishes the claim from a later one of the same name. */
export function claimReference({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid, resourceVersion }
}

function volumeBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const isReserved = isVolumeFor(volume, claim)
  const marked = isReserved || hasAnnotation(volume, boundByController) ? volume : withAnnotations(volume, { [boundByController]: "yes" })
  if (isReserved && volume.spec?.claimRef?.uid === claim.metadata.uid) return marked
  return { ...marked, spec: { ...marked.spec, claimRef: claimReference(claim) } }
}

function claimBoundTo(claim: PersistentVolumeClaim, { metadata: { name } }: PersistentVolume): PersistentVolumeClaim {
  const isSame = claim.spec?.volumeName === name
  if (isSame && hasAnnotation(claim, bindCompleted)) return claim
  const bound = withAnnotations(claim, { ...(!isSame && { [boundByController]: "yes" }), [bindCompleted]: "yes" })
  return isSame ? bound : { ...bound, spec: { ...bound.spec, volumeName: name } }
}

/** Undoes a binding: the whole claimRef if the controller made it; only the UID if a user reserved the volume. */
export function unbind(built: PlanBuilder, volume: PersistentVolume, reason: string): void {
  const { claimRef, ...spec } = volume.spec ?? {}
  const { uid: _uid, resourceVersion: _version, ...reserved } = claimRef ?? {}
  const free = hasAnnotation(volume, boundByController)
    ? { ...withoutAnnotation(volume, boundByController), spec }
    : { ...volume, spec: { ...spec, claimRef: reserved } }
  addInSequence(built, [updateOf(free, reason), phasePatch(volume, "Available", reason)])
}
