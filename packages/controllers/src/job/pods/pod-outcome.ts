import { findCondition, isSidecar, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import type { ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { largestOf } from "@pilothouse/seams"

/** With podReplacementPolicy Failed a terminating pod is not replaced before it has finished. */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed"
}

export function hasPodSucceeded({ status }: Pod): boolean {
  return status?.phase === "Succeeded"
}

/**
 * A pod that is deleted before it has finished counts as failed, because it may never report its result: its node may be gone.
 * With podReplacementPolicy Failed only the phase counts.
 */
export function hasPodFailed({ metadata, status }: Pod, job: Job): boolean {
  if (status?.phase === "Failed") return true
  if (replacesOnlyFailed(job)) return false
  return metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded"
}

/** Returns when a pod finished, in milliseconds since 1970, from the best source available. */
export function finishTime(pod: Pod): number {
  return lastExit(pod) ?? notReadySince(pod) ?? deletedAt(pod) ?? timeOf(pod.metadata.creationTimestamp) ?? 0
}

/** Sidecars finish after the containers they serve. Returns undefined unless all have finished. */
function lastExit({ spec, status }: Pod): number | undefined {
  const sidecars = new Set((spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name))
  const inits = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name))
  const exits = [...(status?.containerStatuses ?? []), ...inits].map(exitTime)
  if (exits.length === 0 || exits.includes(undefined)) return undefined
  return largestOf(exits.map((exit) => exit ?? 0))
}

function exitTime({ state }: ContainerStatus): number | undefined {
  return timeOf(state?.terminated?.finishedAt)
}

function notReadySince({ status }: Pod): number | undefined {
  const ready = findCondition(status?.conditions, "Ready")
  return ready?.status === "False" ? timeOf(ready.lastTransitionTime) : undefined
}

/** The deletion timestamp is the end of the grace period; the delete came before that. */
function deletedAt({ metadata }: Pod): number | undefined {
  const end = timeOf(metadata.deletionTimestamp)
  return end === undefined ? undefined : end - secondsInMilliseconds(metadata.deletionGracePeriodSeconds ?? 0)
}

function timeOf(text: string | null | undefined): number | undefined {
  return text ? parseTime(text) : undefined
}
