import { hasCause } from "@pilothouse/api"
import type { ObjectRef, PlanBuilder, Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"

/** Records an event about each pod that was created or deleted for an owner, and about each refusal. */
export function recordPodEvents(built: PlanBuilder, owner: ObjectRef, results: readonly Result[]): void {
  for (const result of results) recordPodEvent(built, owner, result)
}

function recordPodEvent(built: PlanBuilder, owner: ObjectRef, { operation, ...result }: Result): void {
  if ((operation.do !== "create" && operation.do !== "delete") || operation.object.kind !== "Pod") return
  const [verb, done, doing] = operation.do === "create" ? ["Create", "Created", "creating"] : ["Delete", "Deleted", "deleting"]
  // Without an answer it was gone before.
  if (result.ok === true && result.object !== undefined) {
    const name = operation.object.metadata.name ?? result.object.metadata.name
    built.event(owner, "Normal", `Successful${verb}`, `${done} pod: ${name}`)
  } else if (result.ok === false && !hasCause(result.error, "NamespaceTerminating")) {
    built.event(owner, "Warning", `Failed${verb}`, `Error ${doing}: ${messageOf(result.error)}`)
  }
}
