import type { PersistentVolume, PersistentVolumeStatus } from "@pilothouse/api/core/v1"
import type { KubeOperation, PlanBuilder } from "@pilothouse/runtime"

type Phase = NonNullable<PersistentVolumeStatus["phase"]>

/** Returns the phase write at the observed version; undefined when the volume has that phase. */
export function phaseWrite(volume: PersistentVolume, phase: Phase, reason: string, message?: string): KubeOperation | undefined {
  if (volume.status?.phase === phase) return undefined
  const { message: _old, ...kept } = volume.status ?? {}
  return { do: "status", object: volume, status: { ...kept, phase, ...(message !== undefined && { message }) }, reason }
}

/** Returns the same as a patch by UID, for a volume that the plan has written before. */
export function phasePatch(volume: PersistentVolume, phase: Phase, reason: string): KubeOperation | undefined {
  if (volume.status?.phase === phase) return undefined
  const status = { phase, ...(volume.status?.message !== undefined && { message: null }) }
  return { do: "patch", object: volume, patch: { metadata: { uid: volume.metadata.uid }, status }, subresource: "status", reason }
}

export function writePhase(built: PlanBuilder, volume: PersistentVolume, phase: Phase, reason: string): void {
  const operation = phaseWrite(volume, phase, reason)
  if (operation !== undefined) built.operation(operation)
}

/** Sets the phase Failed and records an event, once. */
export function writeFailure(built: PlanBuilder, volume: PersistentVolume, reason: string, message: string): void {
  const operation = phaseWrite(volume, "Failed", message, message)
  if (operation !== undefined) built.operation(operation).event(volume, "Warning", reason, message)
}
