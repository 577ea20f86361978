import {
  deepEqual,
  findCondition,
  formatTime,
  keyOf,
  minimumTolerationSeconds,
  secondsInMilliseconds,
  setCondition,
  splitKey,
  tolerationsFor,
  untoleratedTaint,
} from "@pilothouse/api"
import type { Pod, Taint } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan, rememberFirst } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import type { RememberTimer, Timer } from "./timers.ts"

export interface Decision {
  readonly plan: Plan
  /** Remembered until the next reconcile. */
  readonly timer?: Timer
}

/** Upstream's processPodOnNode: evicts a pod when its toleration of the node's NoExecute taints expires; at once without a toleration. */
export function decide(observed: Observed, now: number): Decision {
  const { key, pod, taints, timer } = observed
  if (pod === undefined) return cancel(key, { apiVersion: "v1", kind: "Pod", metadata: splitKey(key) }, timer, "the pod is gone")
  if (pod.metadata.deletionTimestamp !== undefined) return { plan: plan().nothing("it is being deleted already") }
  if (timer !== undefined && (timer.isOver || now >= timer.at))
    return evictNow(pod, timer, "its toleration of its node's taints has expired", now)
  // A deleted node has no taints, but the timer stays: its pods cannot run anywhere.
  if (taints === undefined)
    return timer === undefined ? { plan: plan().nothing("it has no node that is known") } : wait(timer, now, goneNode)
  if (taints.length === 0) return cancel(key, pod, timer, "its node has no NoExecute taint")
  return decideUnderTaints(observed as Observed & { pod: Pod }, taints, now)
}

/** Returns the plan, preceded by remembering the timer when it changed, whatever the result of the rest. */
export function withTimer({ key, timer: before, hasStaleTimer: isOthers = false }: Observed, { plan, timer }: Decision): Plan {
  if (deepEqual(before, timer) && !isOthers) return plan
  const reason = timer === undefined ? "it is not evicted any more" : "later reconciles must not restart its timer"
  const operation: RememberTimer = { do: "remember-timer", to: `the time of the pod ${key}`, reason, key, timer }
  return rememberFirst([operation], plan)
}

function decideUnderTaints({ key, pod, timer }: Observed & { readonly pod: Pod }, taints: readonly Taint[], now: number): Decision {
  const tolerations = tolerationsFor(taints, pod.spec?.tolerations)
  if (tolerations === undefined) {
    const built = plan()
    if (timer !== undefined) recordEviction(built, pod, "Cancelling deletion of Pod", key)
    return evictNow(pod, timer, `it does not tolerate ${untoleratedTaint(taints, pod.spec?.tolerations)?.key}`, now, built)
  }
  const seconds = minimumTolerationSeconds(tolerations)
  if (seconds === Number.POSITIVE_INFINITY) return cancel(key, pod, timer, "it tolerates its node's taints forever")
  // Later edits neither extend nor shorten a running timer.
  if (timer !== undefined) return wait(timer, now, tolerates(taints))
  if (seconds === 0) return evictNow(pod, timer, "it tolerates its node's taints for no time at all", now)
  return wait({ uid: pod.metadata.uid, at: now + secondsInMilliseconds(seconds), isOver: false }, now, tolerates(taints))
}

const goneNode = "its node, whose taints it tolerates for a while, is gone"

function tolerates(taints: readonly Taint[]): string {
  return `it tolerates ${taints.map(({ key }) => key).join(", ")} of its node for a while`
}

/** Names the point of time: the remaining duration would differ with every reconcile. */
function wait(timer: Timer, now: number, why: string): Decision {
  return { plan: plan().requeueAfter(Math.max(0, timer.at - now), `${why}, and is evicted at ${formatTime(timer.at)}`), timer }
}

function evictNow(pod: Pod, timer: Timer | undefined, reason: string, now: number, built: PlanBuilder = plan()): Decision {
  evict(built, pod, reason, now)
  return { plan: built, timer: { uid: pod.metadata.uid, at: timer?.at ?? now, isOver: true } }
}

function cancel(key: string, pod: Pick<Pod, "apiVersion" | "kind" | "metadata">, timer: Timer | undefined, why: string): Decision {
  const built = plan().nothing(why)
  if (timer !== undefined && !timer.isOver) recordEviction(built, pod, "Cancelling deletion of Pod", key)
  return { plan: built }
}

/** Adds the condition with the reason, then deletes with the pod's own grace period. */
function evict(built: PlanBuilder, pod: Pod, reason: string, now: number): void {
  const { status, metadata } = pod
  const wanted = {
    type: "DisruptionTarget",
    status: "True" as const,
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  }
  const conditions = setCondition(status?.conditions, wanted, now)
  if (conditions !== status?.conditions) {
    const patch = { metadata: { uid: metadata.uid }, status: { conditions: [findCondition(conditions, "DisruptionTarget")] } }
    built.operation({ do: "patch", object: pod, patch, type: "strategic", subresource: "status", tolerate: ["NotFound"], reason })
    built.nextStep()
  }
  built.delete(pod, reason)
  recordEviction(built, pod, "Marking for deletion Pod", keyOf(pod))
}

function recordEviction(built: PlanBuilder, pod: Pick<Pod, "apiVersion" | "kind" | "metadata">, what: string, key: string): void {
  built.event(pod, "Normal", "TaintManagerEviction", `${what} ${key}`)
}
