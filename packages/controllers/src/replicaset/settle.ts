import { hasCause } from "@pilothouse/api"
import { type DecideContext, type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { recordPodEvents } from "../shared/pod-events.ts"
import type { Observed } from "./observe.ts"
import { type Failure, reportStatus } from "./status.ts"

/** Tells people what became of the pods, and keeps the status true. Where nothing was tried there is nothing to add. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const managed = results.filter(({ operation }) => operation.do === "create" || operation.do === "delete")
  const built = plan()
  // Pods that could not be claimed: the number of pods is not known, and neither is the status.
  if (managed.every((result) => result.ok === "skipped")) return built
  recordPodEvents(built, observed.owner, managed)
  return reportStatus(built, observed, now, failureOf(managed))
}

function failureOf(results: readonly Result[]): Failure | undefined {
  const failed = results.find((result) => result.ok === false && !isNamespaceGoing(result.error))
  if (failed?.ok !== false) return undefined
  const message = messageOf(failed.error)
  return failed.operation.do === "create"
    ? { reason: "FailedCreate", message }
    : { reason: "FailedDelete", message: `unable to delete pods: ${message}` }
}

/** Nobody needs to hear of each pod that a vanishing namespace refuses. */
function isNamespaceGoing(error: unknown): boolean {
  return hasCause(error, "NamespaceTerminating")
}
