import { hasCause, keyOf } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { lacksStatus } from "../lacks-status.ts"
import { workOf } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { historyOf } from "./revisions.ts"
import { reportStatus } from "./status.ts"
import { type Removal, situationOf } from "./work.ts"

/** Tells people what became of the pods. Where one of them failed no pod may come to wake us, so the status is written here. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const { daemonSet } = observed
  const built = plan()
  if (results.length === 0 || daemonSet.metadata.deletionTimestamp !== undefined) return built
  const situation = situationOf(observed, historyOf(observed), now)
  const work = workOf(situation)
  for (const removal of work.remove) tellOfEnd(built, daemonSet, removal, results)
  for (const result of results) tell(built, daemonSet, result)
  return lacksStatus(results, ["Pod"]) ? reportStatus(built, observed, situation) : built
}

/** Only of what was tried. */
function tellOfEnd(built: PlanBuilder, daemonSet: DaemonSet, { found, node, pod }: Removal, results: readonly Result[]): void {
  if (found === undefined) return
  const tried = results.some(
    ({ operation, ok }) => operation.do === "delete" && ok !== "skipped" && "object" in operation && isSame(operation.object, pod),
  )
  if (!tried) return
  if (found === "failed") {
    built.event(daemonSet, "Warning", "FailedDaemonPod", `Found failed daemon pod ${keyOf(pod)} on node ${node}, will try to kill it`)
  } else {
    built.event(
      daemonSet,
      "Normal",
      "SucceededDaemonPod",
      `Found succeeded daemon pod ${keyOf(pod)} on node ${node}, will try to delete it`,
    )
  }
}

function isSame(one: { readonly metadata: { readonly uid?: string } }, other: { readonly metadata: { readonly uid?: string } }): boolean {
  return one.metadata.uid === other.metadata.uid
}

function tell(built: PlanBuilder, daemonSet: DaemonSet, { operation, ...result }: Result): void {
  if ((operation.do !== "create" && operation.do !== "delete") || !("object" in operation) || operation.object.kind !== "Pod") return
  const [verb, done, doing] = operation.do === "create" ? ["Create", "Created", "creating"] : ["Delete", "Deleted", "deleting"]
  // Without an answer it was gone before.
  if (result.ok === true && result.object !== undefined) {
    built.event(
      daemonSet,
      "Normal",
      `Successful${verb}`,
      `${done} pod: ${(operation.object.metadata.name ? operation : result).object?.metadata.name}`,
    )
  } else if (result.ok === false && !hasCause(result.error, "NamespaceTerminating")) {
    built.event(daemonSet, "Warning", `Failed${verb}`, `Error ${doing}: ${messageOf(result.error)}`)
  }
}
