import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"

/** The annotation and the label that say which part of the work of an Indexed Job a pod does. */
export const completionIndexKey = "batch.kubernetes.io/job-completion-index"

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed"
}

export function completionsOf({ spec }: Job): number {
  return spec?.completions ?? 0
}

/** Undefined when the pod has none, or has something else in its place. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[completionIndexKey] ?? ""
  return /^\+?\d+$/.test(text) ? Number(text) : undefined
}

/** False for pods of an Indexed Job whose index is missing, or beyond its completions: they are nobody's result. */
export function hasValidIndex(pod: Pod, job: Job): boolean {
  return !isIndexed(job) || validIndex(pod, job) !== undefined
}

export function validIndex(pod: Pod, job: Job): number | undefined {
  const index = completionIndex(pod)
  return index !== undefined && index < completionsOf(job) ? index : undefined
}
