import { formatTime, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { ContainerStatus, Pod, PodStatus } from "@pilothouse/api/core/v1"
import { annotationFaults } from "../behaviour/annotation-faults.ts"
import { startTimeOf } from "../behaviour/behaviour.ts"
import { knownStatus } from "../container/container-status.ts"
import { type KubeletEvent, warning } from "../container/kubelet-event.ts"
import type { PodStep, PodView } from "../container/pod-step.ts"
import { volumeFault } from "../container/references.ts"
import { hasDoneItsPart, initFailed, isOver, type SteppedContainers, sidecarStopped, stepContainers } from "../container/step-containers.ts"
import { endedByNow } from "../container/stop-processes.ts"
import { fresh, waitsFor } from "../container/waiting-container.ts"
import { podStatus } from "./pod-status.ts"

/** A pod that is not deleted: its containers run their course. */
export function runOn(view: PodView): PodStep {
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
export function finishPod({ pod, place, now, processes }: PodView): Pick<PodStep, "status"> {
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

/** Whether the pod has exceeded its activeDeadlineSeconds. */
export function isOverdue(pod: Pod, now: number): boolean {
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
