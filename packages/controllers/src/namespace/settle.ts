import { deepEqual, isMethodNotAllowed } from "@pilothouse/api"
import type { Namespace } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { statusWith, troubleOf } from "./conditions.ts"
import { deleteEach } from "./delete-items.ts"
import type { Content, Observed } from "./observe.ts"
import { ageOf, remainingOf } from "./remaining.ts"

/** Milliseconds: most of what is deleted goes at once, and nobody should wait for a namespace that is empty. */
const untilGone = 100

/** Deletes one by one what the server would not delete at once after all, and says in the status what could not be deleted. */
export function settle({ namespace, content }: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const built = plan()
  if (content === undefined) return built
  const errors: string[] = []
  for (const { ok, operation, ...result } of results) {
    if (ok !== false || (operation.do !== "deleteCollection" && operation.do !== "delete")) continue
    const { error } = result as { readonly error: unknown }
    const collection = operation.do === "deleteCollection" && isMethodNotAllowed(error) ? collectionOf(content, operation) : undefined
    if (collection === undefined) errors.push(messageOf(error))
    else deleteEach(built, collection)
  }
  if (errors.length === 0)
    return results.some(hasDeleted) ? built.requeueAfter(soonest(namespace, now), "what was deleted may be gone then") : built
  const base = written(results) ?? namespace
  const status = statusWith(base, troubleOf(content, remainingOf(content, namespace, now), errors), now)
  if (deepEqual(status, base.status)) return built
  return built.operation({ do: "status", object: base, status, reason: errors.join("; "), tolerate: ["NotFound"] })
}

function hasDeleted({ ok, operation }: Result): boolean {
  return ok === true && (operation.do === "deleteCollection" || operation.do === "delete")
}

/** More and more rarely where a server says that it has deleted what stays all the same. */
function soonest(namespace: Namespace, now: number): number {
  return Math.max(untilGone, Math.round(ageOf(namespace, now) / 50))
}

function collectionOf({ collections }: Content, operation: Result["operation"]): Content["collections"][number] | undefined {
  return "of" in operation ? collections.find((collection) => collection.of === operation.of) : undefined
}

/** The namespace as the plan's own write of its status left it: writing again on top of the older one would be refused. */
function written(results: readonly Result[]): Namespace | undefined {
  const status = results.find((result) => result.ok === true && result.operation.do === "status")
  return status?.ok === true ? (status.object as Namespace | undefined) : undefined
}
