import { deepEqual, isMethodNotAllowed } from "@pilothouse/api"
import type { Namespace } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { deletionBlockers, statusWithConditions } from "./conditions.ts"
import { deleteEach } from "./delete-items.ts"
import type { Content, Observed } from "./observe.ts"
import { deletionAge, remainingContent } from "./remaining.ts"

/** Milliseconds: most deleted objects are gone at once, and the deletion of an empty namespace should not wait. */
const untilGone = 100

/** Deletes one by one where the server refuses to delete a collection, and reports in the status what could not be deleted. */
export function settle({ namespace, content }: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const built = plan()
  if (content === undefined) return built
  const errors: string[] = []
  for (const { ok, operation, ...result } of results) {
    if (ok !== false || (operation.do !== "deleteCollection" && operation.do !== "delete")) continue
    const { error } = result as { readonly error: unknown }
    const collection = operation.do === "deleteCollection" && isMethodNotAllowed(error) ? refusedCollection(content, operation) : undefined
    if (collection === undefined) errors.push(messageOf(error))
    else deleteEach(built, collection)
  }
  if (errors.length === 0)
    return results.some(hasDeleted) ? built.requeueAfter(requeueDelay(namespace, now), "the deleted objects may be gone then") : built
  const base = namespaceAfterWrite(results) ?? namespace
  const status = statusWithConditions(base, deletionBlockers(content, remainingContent(content, namespace, now), errors), now)
  if (deepEqual(status, base.status)) return built
  return built.operation({ do: "status", object: base, status, reason: errors.join("; "), tolerate: ["NotFound"] })
}

function hasDeleted({ ok, operation }: Result): boolean {
  return ok === true && (operation.do === "deleteCollection" || operation.do === "delete")
}

/** Requeues less and less often where a server reports deletes but the objects stay. */
function requeueDelay(namespace: Namespace, now: number): number {
  return Math.max(untilGone, Math.round(deletionAge(namespace, now) / 50))
}

function refusedCollection({ collections }: Content, operation: Result["operation"]): Content["collections"][number] | undefined {
  return "of" in operation ? collections.find((collection) => collection.of === operation.of) : undefined
}

/** Returns the namespace after the plan's own status write: a second write at the older version would be a conflict. */
function namespaceAfterWrite(results: readonly Result[]): Namespace | undefined {
  const status = results.find((result) => result.ok === true && result.operation.do === "status")
  return status?.ok === true ? (status.object as Namespace | undefined) : undefined
}
