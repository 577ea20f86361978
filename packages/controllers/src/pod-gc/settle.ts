import type { Pod } from "@pilothouse/api/core/v1"
import { type Plan, plan, type Result } from "@pilothouse/runtime"
import { forceDelete, isForced } from "./force-delete.ts"
import type { Observed } from "./observe.ts"

/** Deletes the pods that are marked as failed now. */
export function settle(_observed: Observed, results: readonly Result[]): Plan {
  const built = plan()
  for (const { ok, operation } of results) {
    if (ok !== true || operation.do !== "patch") continue
    const pod = operation.object as Pod
    if (!isForced(pod)) forceDelete(built, pod, operation.reason)
  }
  return built
}
