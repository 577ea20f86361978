import { formatTime, isPodTerminal, secondsInMilliseconds } from "@pilothouse/api"
import type { Pod, PodStatus } from "@pilothouse/api/core/v1"
import { stopTimeOf } from "../behaviour/behaviour.ts"
import { normal, warning } from "../container/kubelet-event.ts"
import type { Place, PodStep, PodView } from "../container/pod-step.ts"
import { isWorkDone } from "../container/step-containers.ts"
import { liveProcesses, stopOrders } from "../container/stop-processes.ts"
import { finishPod, isOverdue, runOn } from "./pod-lifecycle.ts"
import { isAnnounced, killing, stopAll, stoppedAt } from "./stop-pod.ts"

interface PodRule {
  readonly reason: string
  applies(view: PodView): boolean
  happens(view: PodView): Omit<PodStep, "reason"> & Partial<Pick<PodStep, "reason">>
}

/** The first that applies is taken; the last one always does. */
const podRules: readonly PodRule[] = [
  {
    reason: "it was deleted and its containers have stopped",
    applies: ({ pod }) => isDeleted(pod) && isPodTerminal(pod),
    // A grace of 0 means that it is deleted already, and that a finalizer holds it.
    happens: ({ pod }) => ({ remove: pod.metadata.deletionGracePeriodSeconds !== 0, events: [] }),
  },
  { reason: "it has finished", applies: ({ pod }) => isPodTerminal(pod), happens: () => ({ events: [] }) },
  {
    reason: "its processes are being stopped",
    applies: ({ pod, now, processes }) => (isDeleted(pod) || isOverdue(pod, now)) && liveProcesses(pod, processes).length > 0,
    happens: ({ pod, now, processes }) => ({
      status: { ...pod.status, observedGeneration: pod.metadata.generation },
      events: isAnnounced(pod) ? [] : killing(pod),
      ...stopOrders(pod, processes!, now),
    }),
  },
  {
    reason: "it has more containers than a simulated node runs",
    applies: ({ pod }) => containerCount(pod) > maxContainers,
    happens: refuse,
  },
  {
    reason: "its work is done and its sidecars are being stopped",
    applies: ({ pod, processes }) => isWorkDone(pod) && liveProcesses(pod, processes).length > 0,
    happens: ({ pod, now, processes }) => ({
      events: liveProcesses(pod, processes).some(({ facts }) => facts.stopWantedAt === undefined) ? killing(pod) : [],
      ...stopOrders(pod, processes!, now),
    }),
  },
  {
    reason: "it was deleted and its containers have stopped",
    applies: ({ pod, now }) => isDeleted(pod) && stoppedAt(pod) <= now,
    happens: (view) => {
      const { pod, now } = view
      const grace = secondsInMilliseconds(pod.metadata.deletionGracePeriodSeconds ?? 0)
      const exitCode = stopTimeOf(pod) > grace ? 137 : 143
      const stopped = stopAll(view, { exitCode, at: now })
      return { ...stopped, remove: grace > 0, events: isAnnounced(pod) ? [] : killing(pod) }
    },
  },
  {
    reason: "it was deleted and its containers are being stopped",
    applies: ({ pod }) => isDeleted(pod),
    happens: ({ pod }) => ({
      status: { ...pod.status, observedGeneration: pod.metadata.generation },
      events: isAnnounced(pod) ? [] : killing(pod),
      due: stoppedAt(pod),
    }),
  },
  {
    reason: "its work is done and its sidecars have stopped",
    applies: ({ pod }) => isWorkDone(pod),
    happens: (view) => ({ ...finishPod(view), events: [] }),
  },
  {
    reason: "its time is over",
    applies: ({ pod, now }) => isOverdue(pod, now),
    happens: (view) => {
      const message = "Pod was active on the node longer than the specified deadline"
      const { status } = stopAll(view, { exitCode: 137, at: view.now })
      const failed: PodStatus = { ...status, phase: "Failed", reason: "DeadlineExceeded", message }
      return { status: failed, events: [normal("DeadlineExceeded", message), ...killing(view.pod)] }
    },
  },
  { reason: "its containers go their way", applies: () => true, happens: runOn },
]

/**
 * Containers that a pod may have. Each is stepped with every reconcile of its node, reported and recorded in events, and an object of 1.5 MiB has room
 * for 10,000.
 */
const maxContainers = 250

function containerCount({ spec }: Pod): number {
  return (spec?.initContainers?.length ?? 0) + (spec?.containers?.length ?? 0) + (spec?.ephemeralContainers?.length ?? 0)
}

/** The pod stays in its phase, and its status says why: as failed its controller would replace it for ever. */
function refuse({ pod, now }: PodView): Pick<PodStep, "status" | "remove" | "events"> {
  if (isDeleted(pod)) return { remove: pod.metadata.deletionGracePeriodSeconds !== 0, events: [] }
  const message = `expected at most ${maxContainers} containers, found ${containerCount(pod)}`
  if (pod.status?.message === message) return { events: [] }
  const { generation: observedGeneration } = pod.metadata
  const startTime = pod.status?.startTime ?? formatTime(now)
  const status: PodStatus = { phase: "Pending", ...pod.status, reason: "TooManyContainers", message, startTime, observedGeneration }
  return { status, events: [warning("FailedCreatePodSandBox", message)] }
}

/** Steps a pod to where it should be by now. Pure. */
export function stepPod(pod: Pod, place: Place, now: number, seen: Pick<PodView, "processes" | "find"> = {}): PodStep {
  const view: PodView = { ...seen, pod, place, now }
  const rule = podRules.find(({ applies }) => applies(view))!
  return { reason: rule.reason, ...rule.happens(view) }
}

function isDeleted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}
