import { isEverything } from "@pilothouse/api"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { daemonPod } from "./daemon-pod.ts"
import type { RememberFailure } from "./failed-pods.ts"
import { manage } from "./manage.ts"
import { daemonSetsBySelector, type Observed } from "./observe.ts"
import { cleanUpHistory, revisionHistory, syncHistory } from "./revisions.ts"
import { rollOut } from "./rolling-update.ts"
import { nextAvailability, reportStatus } from "./status.ts"
import { type SyncState, syncState, type Work } from "./sync-state.ts"

/** The maximum number of pods that one reconcile creates, and that it deletes. */
export const burst = 250

/** Claims, history, pods, old history, status: in this order, as each counts on the one before it. */
export function decide(observed: Observed, { now }: Pick<DecideContext, "now">): Plan {
  const { daemonSet, claims, pods } = observed
  const built = plan()
  if (isEverything(daemonSetsBySelector.selectorOf(daemonSet))) return refuse(built, observed)
  // Its revisions may be gone already: nothing that could be said of its pods would be true.
  if (daemonSet.metadata.deletionTimestamp !== undefined) return built.nothing("it is being deleted")
  for (const operation of claims) built.operation(operation)
  if (claims.length > 0) built.nextStep()
  const history = revisionHistory(observed)
  syncHistory(built, observed, history)
  const state = syncState(observed, history, now)
  const work = planWork(state)
  apply(built, work, state)
  built.nextStep()
  cleanUpHistory(built, daemonSet, pods, history.old)
  planRequeue(built, observed, work, state)
  if (triggersReconcile(work)) return built
  return reportStatus(built.nextStep({ onFailure: "continue" }), observed, state)
}

/** A rollout starts only when every node has its pods: it relies on that. */
export function planWork(state: SyncState): Work {
  const managed = manage(state)
  if (managed.create.length > 0 || managed.remove.length > 0) return managed
  return { ...rollOut(state), wait: managed.wait }
}

/** Whether created or deleted pods enqueue the key at once, so that the next reconcile writes the status. False when there are more of them than the burst. */
function triggersReconcile({ create, remove }: Work): boolean {
  return create.length + remove.length > 0 && create.length <= burst && remove.length <= burst
}

function apply(built: PlanBuilder, { create, remove }: Work, { daemonSet, hash, now }: SyncState): void {
  built.slowStart()
  for (const { node, reason } of create.slice(0, burst)) built.create(daemonPod(daemonSet, node, hash), reason)
  // A quota that refuses new pods does not keep old ones alive.
  built.nextStep({ onFailure: "continue" })
  for (const { node, pod, reason, found } of remove.slice(0, burst)) {
    if (found === "failed") built.operation(rememberFailure(daemonSet, node, now))
    built.delete(pod, reason)
  }
}

function rememberFailure(owner: RememberFailure["owner"], node: string, at: number): RememberFailure {
  return {
    do: "remember-failure",
    to: `the memory of failures on ${node}`,
    reason: "the next failure there has to wait longer",
    owner,
    node,
    at,
  }
}

function planRequeue(built: PlanBuilder, { pods }: Observed, { wait }: Work, state: SyncState): void {
  const available = nextAvailability(pods, state)
  if (available !== undefined) built.requeueAfter(available, "a ready pod becomes available then")
  if (wait !== undefined && wait < (available ?? Number.POSITIVE_INFINITY)) built.requeueAfter(wait, "a failed pod may be deleted then")
}

/** The API server refuses such a selector; an old DaemonSet may have one. */
function refuse(built: PlanBuilder, { daemonSet }: Observed): Plan {
  const message = "This daemon set is selecting all pods. A non-empty selector is required."
  return built.event(daemonSet, "Warning", "SelectingAll", message).waitFor("a selector that is not empty")
}
