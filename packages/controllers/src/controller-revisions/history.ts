import { addInt64, compareInt64, type Int64 } from "@pilothouse/api"
import type { ControllerRevision } from "@pilothouse/api/apps/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { sameData } from "./revision-data.ts"

/** Oldest first: by number, then by age, then by name. */
export function sortedRevisions(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  return [...revisions].sort(
    (a, b) => compareInt64(a.revision, b.revision) || compare(creationTime(a), creationTime(b)) || compare(objectName(a), objectName(b)),
  )
}

/** One above the highest, whatever is missing below it. */
export function nextRevision(revisions: readonly ControllerRevision[]): Int64 {
  return addInt64(
    revisions.reduce<Int64>((max, { revision }) => (revision > max ? revision : max), 0),
    1,
  )
}

export function revisionsWith(revisions: readonly ControllerRevision[], data: unknown): readonly ControllerRevision[] {
  return revisions.filter((revision) => sameData(revision.data, data))
}

/** Plans to delete unused revisions beyond the limit, oldest first. */
export function deleteBeyondLimit(built: PlanBuilder, unused: readonly ControllerRevision[], surplus: number, limit: number): void {
  for (const revision of sortedRevisions(unused).slice(0, Math.max(0, surplus))) {
    built.delete(revision, `only ${limit} old revisions are kept, and no pod uses it`)
  }
}

export function objectName({ metadata }: Pick<ControllerRevision, "metadata">): string {
  return metadata.name ?? ""
}

function creationTime({ metadata }: ControllerRevision): string {
  return metadata.creationTimestamp ?? ""
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
