import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"

/** The annotation and label with the completion index of a pod of an Indexed Job. */
export const completionIndexKey = "batch.kubernetes.io/job-completion-index"

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed"
}

export function completionCount({ spec }: Job): number {
  return spec?.completions ?? 0
}

/** Returns undefined when the annotation is missing or not a number. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[completionIndexKey] ?? ""
  return /^\+?\d+$/.test(text) ? Number(text) : undefined
}

/** Returns false for pods of an Indexed Job whose index is missing or beyond the completions: they do not count as a result. */
export function hasValidIndex(pod: Pod, job: Job): boolean {
  return !isIndexed(job) || validIndex(pod, job) !== undefined
}

export function validIndex(pod: Pod, job: Job): number | undefined {
  const index = completionIndex(pod)
  return index !== undefined && index < completionCount(job) ? index : undefined
}
