import { formatTime, parseTime } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { endedByNow } from "../process/stop-processes.ts"
import { annotationFaults } from "./annotation-faults.ts"
import { startTimeOf } from "./behaviour.ts"
import { knownStatus } from "./container-status.ts"
import { type KubeletEvent, warning } from "./kubelet-event.ts"
import { podPhase } from "./pod-phase.ts"
import { podStatus } from "./pod-status.ts"
import type { PodStep, PodView } from "./pod-step.ts"
import { volumeFault } from "./references.ts"
import { sidecarStopped, stepContainers } from "./step-containers.ts"

/** A pod that nobody stops: its containers go their way. */
export function runOn(view: PodView): PodStep {
  const { pod, place, now, processes, find } = view
  const startTime = pod.status?.startTime ?? formatTime(now)
  const placed: Pod = { ...pod, status: { ...pod.status, hostIP: place.hostIP, podIP: place.podIP } }
  const startAt = mountFault(view) === undefined ? parseTime(startTime) + startTimeOf(pod) : undefined
  const done = stepContainers(placed, startAt, now, { processes, find })
  const { orders } = done
  const next = Math.min(done.due ?? Number.POSITIVE_INFINITY, deadlineOf({ ...pod, status: { startTime } }) ?? Number.POSITIVE_INFINITY)
  const due = Number.isFinite(next) ? { due: next } : {}
  if (!isNews(pod, done.because)) return { because: "nothing has happened to it", events: done.events, orders, ...due }
  const phase = podPhase(pod, done.init, done.main)
  const status = podStatus(pod, place, { ...done, phase, startTime }, now)
  const because = done.because.length === 0 ? "its node has taken it" : done.because.join("; ")
  return { status, because, events: [...firstWords(view), ...done.events], orders, ...due }
}

/** What is to be said of a pod once, when its node takes it. */
function firstWords(view: PodView): readonly KubeletEvent[] {
  const { pod } = view
  if (pod.status?.startTime !== undefined) return []
  const faults = annotationFaults(pod)
  const unmounted = mountFault(view)
  return [
    ...(faults.length === 0 ? [] : [warning("InvalidAnnotation", faults.join("; "))]),
    ...(unmounted === undefined ? [] : [warning("FailedMount", unmounted)]),
  ]
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

export function isOverdue(pod: Pod, now: number): boolean {
  return now >= (deadlineOf(pod) ?? Number.POSITIVE_INFINITY)
}

/** When its time is over, once it has begun. */
function deadlineOf({ spec, status }: Pod): number | undefined {
  const seconds = spec?.activeDeadlineSeconds
  return seconds === undefined || status?.startTime === undefined ? undefined : parseTime(status.startTime) + seconds * 1000
}
