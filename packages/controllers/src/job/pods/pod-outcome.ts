import { findCondition, isSidecar, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import type { ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { largestOf } from "@pilothouse/seams"

/** With podReplacementPolicy Failed a pod on its way out is not replaced before it has ended. */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed"
}

export function hasPodSucceeded({ status }: Pod): boolean {
  return status?.phase === "Succeeded"
}

/**
 * A pod that is deleted before it has ended counts as failed, for it may never get to say how it ended: its node may be gone.
 * Unless the Job wants to know how: then only the phase counts.
 */
export function hasPodFailed({ metadata, status }: Pod, job: Job): boolean {
  if (status?.phase === "Failed") return true
  if (replacesOnlyFailed(job)) return false
  return metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded"
}

/** When a pod ended, in milliseconds since 1970, as well as it can be told. */
export function finishTime(pod: Pod): number {
  return lastExit(pod) ?? notReadySince(pod) ?? deletedAt(pod) ?? timeOf(pod.metadata.creationTimestamp) ?? 0
}

/** Sidecars end after the containers they serve. Undefined unless every one of them has ended. */
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

/** The timestamp is the end of the grace period; it was deleted before that. */
function deletedAt({ metadata }: Pod): number | undefined {
  const end = timeOf(metadata.deletionTimestamp)
  return end === undefined ? undefined : end - secondsInMilliseconds(metadata.deletionGracePeriodSeconds ?? 0)
}

function timeOf(text: string | null | undefined): number | undefined {
  return text ? parseTime(text) : undefined
}
