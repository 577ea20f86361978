import { keyOf } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { needsStatusWrite } from "../shared/needs-status-write.ts"
import { recordPodEvents } from "../shared/pod-events.ts"
import { planWork } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { revisionHistory } from "./revisions.ts"
import { reportStatus } from "./status.ts"
import { type Removal, syncState } from "./sync-state.ts"

/** Records events about the pods. Where an operation failed no pod event may enqueue the key, so the status is written here. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const { daemonSet } = observed
  const built = plan()
  if (results.length === 0 || daemonSet.metadata.deletionTimestamp !== undefined) return built
  const state = syncState(observed, revisionHistory(observed), now)
  const work = planWork(state)
  for (const removal of work.remove) recordPodEnd(built, daemonSet, removal, results)
  recordPodEvents(built, daemonSet, results)
  return needsStatusWrite(results, ["Pod"]) ? reportStatus(built, observed, state) : built
}

/** Records an event only for pods whose deletion was tried. */
function recordPodEnd(built: PlanBuilder, daemonSet: DaemonSet, { found, node, pod }: Removal, results: readonly Result[]): void {
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
