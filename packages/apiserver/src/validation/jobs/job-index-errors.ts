import { type FieldError, fieldError } from "@pilothouse/api"
import { commonIndex, indexesFault } from "./job-indexes.ts"
import type { JobChange } from "./job-status-change.ts"

/** Which indexes of a Job are done: what only an Indexed Job has, and no index is both. */
export function jobIndexErrors({ job, now, changed }: JobChange): readonly FieldError[] {
  const { completedIndexes = "", failedIndexes } = now
  const { completionMode, completions, backoffLimitPerIndex } = job.spec ?? {}
  const indexed = completionMode === "Indexed"
  return [
    ...(changed("completedIndexes") ? formatErrors("completedIndexes", completedIndexes, completions) : []),
    ...(changed("failedIndexes") && backoffLimitPerIndex !== undefined ? formatErrors("failedIndexes", failedIndexes, completions) : []),
    ...(changed("completedIndexes") && completedIndexes !== "" && !indexed
      ? [
          fieldError.invalid(
            "status.completedIndexes",
            completedIndexes,
            "cannot set non-empty completedIndexes when non-indexed completion mode",
          ),
        ]
      : []),
    ...(changed("failedIndexes") && failedIndexes !== undefined && backoffLimitPerIndex === undefined
      ? [fieldError.invalid("status.failedIndexes", failedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null")]
      : []),
    ...(changed("completedIndexes") || changed("failedIndexes") ? overlapErrors(completedIndexes, failedIndexes, completions) : []),
  ]
}

function formatErrors(field: "completedIndexes" | "failedIndexes", text = "", completions?: number): readonly FieldError[] {
  const fault = completions === undefined ? undefined : indexesFault(text, completions)
  return fault === undefined ? [] : [fieldError.invalid(`status.${field}`, text, `error parsing ${field}: ${fault}`)]
}

function overlapErrors(completed = "", failed?: string, completions?: number): readonly FieldError[] {
  const common = failed === undefined || completions === undefined ? undefined : commonIndex(completed, failed, completions)
  if (common === undefined) return []
  return [fieldError.invalid("status.failedIndexes", failed, `failedIndexes and completedIndexes overlap at index: ${common}`)]
}
