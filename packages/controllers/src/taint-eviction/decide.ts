import {
  deepEqual,
  findCondition,
  formatTime,
  keyOf,
  minimumTolerationSeconds,
  secondsInMilliseconds,
  setCondition,
  tolerationsFor,
  untoleratedTaint,
} from "@pilothouse/api"
import type { Pod, Taint } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan, rememberFirst } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import type { RememberTimer, Timer } from "./timers.ts"

export interface Decision {
  readonly plan: Plan
  /** To be remembered until the next look. */
  readonly timer?: Timer
}

/** A pod leaves its node when the time is over for which it tolerates what makes pods leave; at once if it does not tolerate it at all. */
export function decide(observed: Observed, now: number): Decision {
  const { key, pod, taints, timer } = observed
  if (pod === undefined) return cancel(key, { apiVersion: "v1", kind: "Pod", metadata: nameOf(key) }, timer, "the pod is gone")
  if (pod.metadata.deletionTimestamp !== undefined) return { plan: plan().nothing("it is being deleted already") }
  if (timer !== undefined && (timer.isOver || now >= timer.at))
    return leave(pod, timer, "the time is over for which it tolerates its node's taints", now)
  // A node that is gone takes its taints with it, but not the time that was set: its pods have nowhere to be.
  if (taints === undefined)
    return timer === undefined ? { plan: plan().nothing("it has no node that is known") } : wait(timer, now, goneNode)
  if (taints.length === 0) return cancel(key, pod, timer, "nothing makes it leave its node")
  return underTaints(observed as Observed & { pod: Pod }, taints, now)
}

/** The plan, which begins with keeping the timer where that is another than before: whatever becomes of the rest. */
export function withTimer({ key, timer: before, isOthers = false }: Observed, { plan, timer }: Decision): Plan {
  if (deepEqual(before, timer) && !isOthers) return plan
  const reason = timer === undefined ? "it need not leave any more" : "later looks must not begin its time anew"
  const operation: RememberTimer = { do: "remember-timer", to: `the time of the pod ${key}`, reason, key, timer }
  return rememberFirst([operation], plan)
}

function underTaints({ key, pod, timer }: Observed & { readonly pod: Pod }, taints: readonly Taint[], now: number): Decision {
  const tolerations = tolerationsFor(taints, pod.spec?.tolerations)
  if (tolerations === undefined) {
    const built = plan()
    if (timer !== undefined) say(built, pod, "Cancelling deletion of Pod", key)
    return leave(pod, timer, `it does not tolerate ${untoleratedTaint(taints, pod.spec?.tolerations)?.key}`, now, built)
  }
  const seconds = minimumTolerationSeconds(tolerations)
  if (seconds === Number.POSITIVE_INFINITY) return cancel(key, pod, timer, "it tolerates its node's taints for ever")
  // What is edited afterwards neither lengthens nor shortens the time that was set.
  if (timer !== undefined) return wait(timer, now, tolerates(taints))
  if (seconds === 0) return leave(pod, timer, "it tolerates its node's taints for no time at all", now)
  return wait({ uid: pod.metadata.uid, at: now + secondsInMilliseconds(seconds), isOver: false }, now, tolerates(taints))
}

const goneNode = "its node, whose taints it tolerates for a while, is gone"

function tolerates(taints: readonly Taint[]): string {
  return `it tolerates ${taints.map(({ key }) => key).join(", ")} of its node for a while`
}

/** The point of time in words: how long that is from now on is another number at every look. */
function wait(timer: Timer, now: number, why: string): Decision {
  return { plan: plan().requeueAfter(Math.max(0, timer.at - now), `${why}, and has to leave at ${formatTime(timer.at)}`), timer }
}

function leave(pod: Pod, timer: Timer | undefined, reason: string, now: number, built: PlanBuilder = plan()): Decision {
  evict(built, pod, reason, now)
  return { plan: built, timer: { uid: pod.metadata.uid, at: timer?.at ?? now, isOver: true } }
}

function cancel(key: string, pod: Pick<Pod, "apiVersion" | "kind" | "metadata">, timer: Timer | undefined, why: string): Decision {
  const built = plan().nothing(why)
  if (timer !== undefined && !timer.isOver) say(built, pod, "Cancelling deletion of Pod", key)
  return { plan: built }
}

function nameOf(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = key.split("/")
  return { namespace, name }
}

/** First the condition that tells Jobs and people why, then the delete with the pod's own grace. */
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
  say(built, pod, "Marking for deletion Pod", keyOf(pod))
}

function say(built: PlanBuilder, pod: Pick<Pod, "apiVersion" | "kind" | "metadata">, what: string, key: string): void {
  built.event(pod, "Normal", "TaintManagerEviction", `${what} ${key}`)
}
