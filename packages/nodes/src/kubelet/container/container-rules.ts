import { deepEqual } from "@pilothouse/api"
import type { Container, ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { smallestOf } from "@pilothouse/seams"
import { type Behaviour, holds } from "../behaviour/behaviour.ts"
import { nextStepAfter } from "../behaviour/curve.ts"
import { givenResources, runningStatus, startOf, terminatedStatus } from "./container-status.ts"
import { imageRules } from "./image-rules.ts"
import { type KubeletEvent, normal, podLabel, probeKilling, startEvents, warning } from "./kubelet-event.ts"
import type { PodProcesses, ProcessOrder } from "./process-facts.ts"
import { goSeconds, restartAt, restartWait } from "./restart.ts"
import { fresh, isToStartAgain, waitsFor, waitsWith } from "./waiting-container.ts"

/** One container as its kubelet sees it. The status is all that is remembered of it. */
export interface ContainerView {
  readonly pod: Pod
  readonly container: Container
  readonly status: ContainerStatus
  readonly behaviour: Behaviour
  /** When it is its turn to start; undefined: others have to do something first. */
  readonly mayStartAt: number | undefined
  /** Of a container that is a real process. */
  readonly process?: PodProcesses
  /** Why it cannot be configured: what its environment refers to is not there. Checked only for a container that is about to start. */
  configFault?(): string | undefined
}

/** What happens to a container at one moment. */
export interface ContainerChange {
  readonly status: ContainerStatus
  readonly events?: readonly KubeletEvent[]
  /** What has to be done first: nothing more happens to the container before that. */
  readonly order?: ProcessOrder
}

/** Something that happens to a container at a moment that its status and its behaviour say. */
export interface ContainerRule {
  readonly reason: string
  /** When; in the past: it should have happened; undefined: it will not. */
  at(view: ContainerView, now: number): number | undefined
  happens(view: ContainerView, now: number, at: number): ContainerChange
}

/** One that ended and is not started again yet. */
export const backOffRule: ContainerRule = {
  reason: "it ended too often to be started again at once",
  at: ({ status, pod, container }, now) =>
    status.state?.terminated && isToStartAgain(pod, container, status) && restartAt(status, container) > now ? now : undefined,
  happens: ({ pod, container, status }) => {
    const label = podLabel(pod)
    const message = `back-off ${goSeconds(restartWait(status, container))} restarting failed container=${container.name} pod=${label}`
    return {
      status: {
        ...status,
        state: { waiting: { reason: "CrashLoopBackOff", message } },
        lastState: { terminated: status.state?.terminated },
      },
      events: [warning("BackOff", `Back-off restarting failed container ${container.name} in pod ${label}`)],
    }
  },
}

/** A running container passes its startup probe, then its readiness probe, which may also fail again. */
const readinessChange: ContainerRule = {
  reason: "its probes say otherwise now",
  at({ status, behaviour }, now) {
    const start = startOf(status)
    if (start === undefined) return undefined
    const { started, ready } = probed(behaviour, now - start)
    return started !== (status.started ?? false) || ready !== status.ready ? now : nextChange(behaviour, start, now)
  },
  happens({ status, behaviour }, now) {
    const next = probed(behaviour, now - (startOf(status) ?? now))
    const fails = status.ready && !next.ready
    const changed: ContainerStatus = { ...status, ...next }
    return { status: changed, events: fails ? [warning("Unhealthy", "Readiness probe failed: its annotation says so")] : [] }
  },
}

function probed({ startedAfter, readyAfter, ready }: Behaviour, elapsed: number): { started: boolean; ready: boolean } {
  const started = elapsed >= startedAfter
  return { started, ready: started && elapsed >= readyAfter && holds(ready, elapsed) }
}

function nextChange({ startedAfter, readyAfter, ready }: Behaviour, start: number, now: number): number | undefined {
  const moments = [startedAfter, readyAfter, nextStepAfter(ready, now - start)].filter((moment) => moment !== undefined)
  const coming = moments.map((moment) => start + moment).filter((moment) => moment > now)
  return coming.length === 0 ? undefined : smallestOf(coming)
}

const reason = "CreateContainerConfigError"
const unconfigured: ReadonlySet<string> = new Set([reason])

/** What happens to a container whose ConfigMaps and Secrets are not there. */
const configRules: readonly ContainerRule[] = [
  {
    reason: "what its environment refers to is not there",
    at: (view, now) => {
      const at = neededAt(view, now)
      return at === undefined || isAsSaid(view, view.configFault?.()) ? undefined : at
    },
    happens: (view) => {
      const message = view.configFault?.()
      return { status: waitsWith(view, reason, message), events: [warning("Failed", `Error: ${message}`)] }
    },
  },
  {
    reason: "what its environment refers to is there now",
    at: (view, now) =>
      waitsFor(view, unconfigured) && view.configFault !== undefined && view.configFault() === undefined ? now : undefined,
    happens: (view) => ({ status: waitsWith(view, "ContainerCreating") }),
  },
]

/** When it needs them: whenever it starts. */
function neededAt(view: ContainerView, now: number): number | undefined {
  const { pod, container, status, mayStartAt } = view
  if (waitsFor(view, fresh)) return mayStartAt
  if (waitsFor(view, unconfigured)) return now
  return isToStartAgain(pod, container, status) ? restartAt(status, container) : undefined
}

/** Nothing is missing, or what was said to be: where it is something else by now, that is said too. */
function isAsSaid(view: ContainerView, fault: string | undefined): boolean {
  return fault === undefined || (waitsFor(view, unconfigured) && view.status.state?.waiting?.message === fault)
}

/** The first that is due is taken, then they are asked again. */
export const containerRules: readonly ContainerRule[] = [
  ...imageRules,
  ...configRules,
  {
    reason: "it is its turn to start",
    at: (view) => (waitsFor(view, fresh) ? view.mayStartAt : undefined),
    happens: ({ pod, container, status }, now) => ({ status: runningStatus(pod, container, status, now), events: startEvents(container) }),
  },
  {
    reason: "its image was changed",
    at: ({ status, container }, now) => (startOf(status) !== undefined && status.image !== (container.image ?? "") ? now : undefined),
    happens: ({ status, container }, now) => ({
      status: terminatedStatus(status, { exitCode: 143, at: now }),
      events: [normal("Killing", `Container ${container.name} definition changed, will be restarted`)],
    }),
  },
  {
    reason: "its resources were changed",
    at: ({ pod, container, status }, now) => {
      if (startOf(status) === undefined || pod.status?.observedGeneration === pod.metadata.generation) return undefined
      return deepEqual({ ...status, ...givenResources(container) }, status) ? undefined : now
    },
    happens: ({ status, container }) => ({ status: { ...status, ...givenResources(container) } }),
  },
  {
    reason: "its liveness probe fails",
    at: ({ status, behaviour }) => after(status, behaviour.alive.find(({ at }) => !holds(behaviour.alive, at))?.at),
    happens: ({ pod, status, container }, _now, at) => ({
      status: terminatedStatus(status, { exitCode: 137, at }),
      events: [warning("Unhealthy", "Liveness probe failed: its annotation says so"), probeKilling(pod, container, "liveness")],
    }),
  },
  {
    reason: "it has done its work",
    at: ({ status, behaviour }) => after(status, behaviour.runTime),
    happens: ({ status, behaviour }, _now, at) => ({ status: terminatedStatus(status, { exitCode: behaviour.exitCode, at }) }),
  },
  {
    reason: "it has ended and is started again",
    at: ({ status, pod, container }) => (isToStartAgain(pod, container, status) ? restartAt(status, container) : undefined),
    happens: ({ pod, container, status }, now) => ({ status: runningStatus(pod, container, status, now), events: startEvents(container) }),
  },
  backOffRule,
  readinessChange,
]

/** So long after the start of the present run; undefined where it does not run, or that moment never comes. */
function after(status: ContainerStatus, milliseconds: number | undefined): number | undefined {
  const start = startOf(status)
  return start === undefined || milliseconds === undefined || milliseconds === Number.POSITIVE_INFINITY ? undefined : start + milliseconds
}
