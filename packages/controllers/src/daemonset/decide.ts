import { isEverything, isPodReady } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { smallestOf } from "@pilothouse/seams"
import { daemonPod, hashLabel } from "./daemon-pod.ts"
import { type RememberFailure, waitBeforeDeletion } from "./failed-pods.ts"
import { daemonSetsBySelector, type Observed } from "./observe.ts"
import { cleanUpHistory, revisionHistory, syncHistory } from "./revisions.ts"
import { allowsSurge, rollOut } from "./rolling-update.ts"
import { nextAvailability, reportStatus } from "./status.ts"
import { type Creation, isAvailable, isDeleted, type Removal, type SyncState, syncState, type Work } from "./sync-state.ts"

/** The maximum number of pods that one reconcile creates, and that it deletes. */
export const burst = 250

/** Plans claims, history, pods, old history and status, in this order, as each depends on the one before it: upstream's syncDaemonSet. */
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

/**
 * Reports whether created or deleted pods enqueue the key at once, so that the next reconcile writes the status. False when there are more of them
 * than the burst.
 */
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

/** One pod on every node that should have one, and none elsewhere. Whether it is of the present template is for the rollout. */
function manage(state: SyncState): Work {
  const works = [...state.eligible.keys()].map((node) => manageNode(node, state))
  const waits = works.flatMap(({ wait }) => wait ?? [])
  return {
    create: works.flatMap(({ create }) => create),
    remove: [...works.flatMap(({ remove }) => remove), ...podsOfMissingNodes(state)],
    wait: waits.length === 0 ? undefined : smallestOf(waits),
  }
}

function manageNode(node: string, state: SyncState): Work {
  const { runs, stays, reason = "" } = state.eligible.get(node)!
  const pods = state.onNodes.get(node)
  if (pods === undefined) return { create: runs ? [missing(node)] : [], remove: [] }
  const present = pods.filter((pod) => !isDeleted(pod))
  if (!stays) return { create: [], remove: present.map((pod) => ({ node, pod, reason })) }
  const { remove, wait } = ended(node, present, state)
  const running = present.filter(({ status }) => status?.phase !== "Failed" && status?.phase !== "Succeeded")
  if (!allowsSurge(state.daemonSet)) return { create: [], remove: [...remove, ...surplus(node, running)], wait }
  // With room for a second pod the first need not stop before.
  const create = running.length === 0 && runs ? [missing(node)] : []
  return { create, remove: [...remove, ...surplusOfSurge(node, running, state)], wait }
}

function missing(node: string): Creation {
  return { node, reason: `${node} should run a pod and has none` }
}

/** Failed pods stay for a while that grows with every failure: otherwise the controller and a kubelet that rejects pods would race for ever. */
function ended(node: string, pods: readonly Pod[], { backoffs, now }: SyncState): Pick<Work, "remove" | "wait"> {
  const wait = waitBeforeDeletion(backoffs.get(node), now)
  const failed = pods.filter(({ status }) => status?.phase === "Failed")
  const succeeded = pods.filter(({ status }) => status?.phase === "Succeeded")
  // The first failure noted starts the wait of the second.
  const replaced = wait > 0 ? [] : failed.slice(0, 1)
  const remove: readonly Removal[] = [
    ...replaced.map((pod) => ({ node, pod, reason: `it failed on ${node}`, found: "failed" as const })),
    ...succeeded.map((pod) => ({ node, pod, reason: `it has ended on ${node}, and a daemon should not`, found: "succeeded" as const })),
  ]
  return { remove, wait: failed.length > replaced.length ? Math.max(wait, 1) : undefined }
}

function surplus(node: string, [oldest, ...others]: readonly Pod[]): readonly Removal[] {
  return others.map((pod) => ({ node, pod, reason: `${node} has ${oldest?.metadata.name} already, which is older` }))
}

/** An old and a new pod may stand side by side while the old one is ready and the new one is not available yet. */
function surplusOfSurge(node: string, running: readonly Pod[], state: SyncState): readonly Removal[] {
  if (running.length <= 1) return []
  const isNew = ({ metadata }: Pod) => metadata.labels?.[hashLabel] === state.hash
  const [[newest, ...otherNew], [old, ...otherOld]] = [running.filter(isNew), running.filter((pod) => !isNew(pod))]
  const others = [...otherNew, ...otherOld].map((pod) => ({ node, pod, reason: `${node} has an older pod of the same template` }))
  if (newest === undefined || old === undefined) return others
  if (!isPodReady(old)) return [...others, { node, pod: old, reason: `it is not ready, and ${newest.metadata.name} takes its place` }]
  if (!isAvailable(newest, state)) return others
  return [...others, { node, pod: old, reason: `${newest.metadata.name} is available in its place` }]
}

/** Pods that wait for a deleted node. No other controller deletes them: they were never scheduled. */
function podsOfMissingNodes({ onNodes, eligible }: SyncState): readonly Removal[] {
  return [...onNodes].flatMap(([node, pods]) =>
    eligible.has(node)
      ? []
      : pods
          .filter((pod) => !pod.spec?.nodeName && !isDeleted(pod))
          .map((pod) => ({ node, pod, reason: `it waits for ${node}, which is gone` })),
  )
}
