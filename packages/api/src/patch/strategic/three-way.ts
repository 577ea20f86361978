import { stringifyJson } from "@pilothouse/seams"
import type { Schema } from "../../schema/schema.ts"
import type { JsonObject } from "../values/json-value.ts"
import { PatchError } from "../values/patch-error.ts"
import { haveConflicts } from "./conflicts.ts"
import { diffObjects } from "./diff.ts"
import { documentOf, mergeObjects } from "./merge.ts"

export interface ThreeWayMerge {
  /** What was applied last time; undefined the first time. */
  readonly original: unknown
  /** What is to be applied now. */
  readonly modified: unknown
  /** What the server has. */
  readonly current: unknown
  readonly schema: Schema
  /** False: a field that another client changed since `original`, and that the patch would set otherwise, is a conflict (status 409). */
  readonly overwrite: boolean
}

/**
 * The patch `kubectl apply` sends: whatever `modified` says and `current` does not, and the removal of what `original` had and `modified` has not.
 * Fields that are in `current` only stay as they are.
 */
export function threeWayStrategicMerge({ original, modified, current, schema, overwrite }: ThreeWayMerge): JsonObject {
  const before = documentOf(original ?? {})
  const wanted = documentOf(modified)
  const live = documentOf(current)
  const additions = diffObjects(live, wanted, schema, { additions: true, deletions: false, elementOrder: true })
  const deletions = diffObjects(before, wanted, schema, { additions: false, deletions: true, elementOrder: true })
  const patch = mergeObjects(deletions, additions, schema, "combine")
  if (!overwrite)
    refuseConflicts(patch, diffObjects(before, live, schema, { additions: true, deletions: true, elementOrder: false }), schema)
  return patch
}

function refuseConflicts(patch: JsonObject, changed: JsonObject, schema: Schema): void {
  if (!haveConflicts(patch, changed, schema)) return
  const [ours, theirs] = [patch, changed].map((value) => stringifyJson(value, 2))
  throw new PatchError(409, `patch:\n${ours}\nconflicts with changes made from original to current:\n${theirs}\n`)
}
