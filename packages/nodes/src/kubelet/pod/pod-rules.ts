import { formatTime, isPodTerminal, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { ContainerStatus, Pod, PodStatus } from "@pilothouse/api/core/v1"
import { annotationFaults } from "../behaviour/annotation-faults.ts"
import { startTimeOf, stopTimeOf } from "../behaviour/behaviour.ts"
import { type Ended, knownStatus, terminatedStatus } from "../container/container-status.ts"
import { type KubeletEvent, normal, warning } from "../container/kubelet-event.ts"
import type { Place, PodStep, PodView } from "../container/pod-step.ts"
import { volumeFault } from "../container/references.ts"
import {
  hasDoneItsPart,
  initFailed,
  isOver,
  isWorkDone,
  type SteppedContainers,
  sidecarStopped,
  stepContainers,
} from "../container/step-containers.ts"
import { endedByNow, liveProcesses, stopOrders } from "../container/stop-processes.ts"
import { fresh, waitsFor } from "../container/waiting-container.ts"
import { podStatus } from "./pod-status.ts"

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

/** Stops every container; the pod has ended well only if all of them had done so by themselves. */
export function stopAll({ pod, place, processes }: PodView, end: Pick<Ended, "exitCode" | "at">): { readonly status: PodStatus } {
  const { initContainers = [], containers = [] } = pod.spec ?? {}
  const stop = (list: typeof containers, known: readonly ContainerStatus[] | undefined) =>
    list.map((container) => {
      const status = endedByNow(knownStatus(container, known), processes)
      return status.state?.terminated === undefined ? terminatedStatus(status, { ...end, ...neverRan(status) }) : status
    })
  const init = stop(initContainers, pod.status?.initContainerStatuses)
  const main = stop(containers, pod.status?.containerStatuses)
  const phase = main.every(({ state }) => state?.terminated?.exitCode === 0) ? "Succeeded" : "Failed"
  const startTime = pod.status?.startTime ?? formatTime(end.at)
  return { status: podStatus(pod, place, { phase, init, main, startTime }, end.at) }
}

/** What a kubelet says of a container that it could not find when the pod was over. */
function neverRan({ state }: ContainerStatus): object {
  if (state?.running !== undefined) return {}
  const message = "The container could not be located when the pod was terminated"
  return { exitCode: 137, reason: "ContainerStatusUnknown", message }
}

/** Reports whether the deletion has its event: it is a new generation, and the status has observed it. */
function isAnnounced({ metadata, status }: Pod): boolean {
  return metadata.generation !== undefined && status?.observedGeneration === metadata.generation
}

/** The server writes the end of the grace; its containers may be quicker. */
function stoppedAt(pod: Pod): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
  const end = deletionTimestamp === undefined ? 0 : parseTime(deletionTimestamp)
  const grace = secondsInMilliseconds(deletionGracePeriodSeconds)
  return end - grace + Math.min(grace, stopTimeOf(pod))
}

/** The events of containers that are stopped. */
function killing({ status }: Pod): readonly KubeletEvent[] {
  const running = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].filter(({ state }) => state?.running)
  return running.map(({ name }) => normal("Killing", `Stopping container ${name}`))
}

/** A pod that is not deleted: its containers run their course. */
function runOn(view: PodView): PodStep {
  const { pod, place, now, processes, find } = view
  const startTime = pod.status?.startTime ?? formatTime(now)
  const placed: Pod = { ...pod, status: { ...pod.status, hostIP: place.hostIP, podIP: place.podIP } }
  const unmounted = mountFault(view)
  const startAt = unmounted === undefined ? parseTime(startTime) + startTimeOf(pod) : undefined
  const done = withMountFault(pod, unmounted, stepContainers(placed, startAt, now, { processes, find }))
  const { orders } = done
  const next = Math.min(done.due ?? Number.POSITIVE_INFINITY, deadlineOf({ ...pod, status: { startTime } }) ?? Number.POSITIVE_INFINITY)
  const due = Number.isFinite(next) ? { due: next } : {}
  if (!isNews(pod, done.reason) && pod.status?.podIP === place.podIP)
    return { reason: "nothing has happened to it", events: done.events, orders, ...due }
  const phase = podPhase(pod, done.init, done.main)
  const status = podStatus(pod, place, { ...done, phase, startTime }, now)
  const moved = pod.status?.startTime === undefined ? "its node has taken it" : "its address or what it is made of has changed"
  const reason = done.reason.length === 0 ? moved : done.reason.join("; ")
  return { status, reason, events: [...firstWords(pod), ...done.events], orders, ...due }
}

/** What is to be said of a pod once, when its node takes it. */
function firstWords(pod: Pod): readonly KubeletEvent[] {
  const faults = pod.status?.startTime === undefined ? annotationFaults(pod) : []
  return faults.length === 0 ? [] : [warning("InvalidAnnotation", faults.join("; "))]
}

/** What is missing is the message of its waiting containers: so it is recorded once, and again where it changes. */
function withMountFault(pod: Pod, unmounted: string | undefined, done: SteppedContainers): SteppedContainers {
  const said = pod.status?.containerStatuses?.[0]?.state?.waiting?.message
  const waits = (status: ContainerStatus): ContainerStatus =>
    waitsFor({ status }, fresh) ? { ...status, state: { waiting: { ...status.state?.waiting, message: unmounted } } } : status
  const isNew = unmounted !== undefined && unmounted !== said
  return {
    ...done,
    init: done.init.map(waits),
    main: done.main.map(waits),
    reason: isNew ? [...done.reason, "its volumes cannot be mounted"] : done.reason,
    events: isNew ? [warning("FailedMount", unmounted), ...done.events] : done.events,
  }
}

/** Why its containers have to wait. What was mounted once stays. */
function mountFault({ pod, find }: PodView): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  const hasBegun = [...initContainerStatuses, ...containerStatuses].some(({ state }) => state?.waiting === undefined)
  return hasBegun || find === undefined ? undefined : volumeFault(pod, find)
}

/** A pod whose work is done, and whose sidecars are not there any more. */
function finishPod({ pod, place, now, processes }: PodView): Pick<PodStep, "status"> {
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses: ephemeral, startTime = formatTime(now) } = pod.status ?? {}
  const { initContainers = [], containers = [] } = pod.spec ?? {}
  const init = initContainers.map((container) => sidecarStopped(endedByNow(knownStatus(container, initContainerStatuses), processes), now))
  const main = containers.map((container) => knownStatus(container, containerStatuses))
  return { status: podStatus(pod, place, { phase: podPhase(pod, init, main), init, main, ephemeral, startTime }, now) }
}

/** Between two of these nothing is written: what others say of the pod in the meantime stands until then. */
function isNews({ metadata, spec, status }: Pod, happened: readonly string[]): boolean {
  if (happened.length > 0 || status?.startTime === undefined) return true
  return status.observedGeneration !== metadata.generation || (spec?.readinessGates ?? []).length > 0
}

/** Reports whether the pod has exceeded its activeDeadlineSeconds. */
function isOverdue(pod: Pod, now: number): boolean {
  return now >= (deadlineOf(pod) ?? Number.POSITIVE_INFINITY)
}

/** When its time is over, once it has begun. */
function deadlineOf({ spec, status }: Pod): number | undefined {
  const seconds = spec?.activeDeadlineSeconds
  return seconds === undefined || status?.startTime === undefined ? undefined : parseTime(status.startTime) + secondsInMilliseconds(seconds)
}

type Phase = NonNullable<PodStatus["phase"]>

/** The phase of a pod that goes its own way; who stops it says otherwise. */
function podPhase(pod: Pod, init: readonly ContainerStatus[], main: readonly ContainerStatus[]): Phase {
  const { initContainers = [], containers = [] } = pod.spec ?? {}
  // What still runs beside work that is done is a process that has to end first.
  const isLeft = init.some(({ state }) => state?.running !== undefined)
  if (initFailed(pod, init)) return isLeft ? "Pending" : "Failed"
  const isInitialized = initContainers.every((container, at) => init[at] !== undefined && hasDoneItsPart(container, init[at]))
  if (!isInitialized) return "Pending"
  if (isOver(pod, containers, main) && !isLeft) return main.every(({ state }) => state?.terminated?.exitCode === 0) ? "Succeeded" : "Failed"
  // One that waits for its first run, for an image say, keeps the whole pod pending.
  const isPending = main.some(({ state, lastState }) => state?.waiting !== undefined && lastState?.terminated === undefined)
  return isPending ? "Pending" : "Running"
}
