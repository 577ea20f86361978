import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"

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
