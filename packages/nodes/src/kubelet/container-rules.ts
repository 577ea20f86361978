import { deepEqual } from "@pilothouse/api"
import type { Container, ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import type { PodProcesses, ProcessOrder } from "../process/process-facts.ts"
import { type Behaviour, holds } from "./behaviour.ts"
import { givenResources, runningStatus, startOf, terminatedStatus, waitingStatus } from "./container-status.ts"
import { pullFault } from "./image.ts"
import { imageNameFault } from "./image-name.ts"
import { type KubeletEvent, normal, podLabel, probeKilling, startEvents, warning } from "./kubelet-event.ts"
import { readinessChange } from "./readiness.ts"
import { goSeconds, restartAt, restarts, restartWait } from "./restart.ts"

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
}

export interface ContainerChange {
  readonly status: ContainerStatus
  readonly events?: readonly KubeletEvent[]
  /** What has to be done first: nothing more happens to the container before that. */
  readonly order?: ProcessOrder
}

/** Something that happens to a container at a moment that its status and its behaviour say. */
export interface ContainerRule {
  readonly because: string
  /** When; in the past: it should have happened; undefined: it will not. */
  at(view: ContainerView, now: number): number | undefined
  happens(view: ContainerView, now: number, at: number): ContainerChange
}

/** Milliseconds after which a failed pull is called a back-off. */
const pullBackOff = 10_000
export const fresh: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"])

/** Of those that wait for an image, all but the ones that have heard that its name cannot be read. */
const unnamed: ReadonlySet<string> = new Set([...fresh, "ErrImagePull", "ImagePullBackOff"])
const misnamed: ReadonlySet<string> = new Set(["InvalidImageName"])

/** One that ended and is not started again yet. */
export const backOffRule: ContainerRule = {
  because: "it ended too often to be started again at once",
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

/** The first that is due is taken, then they are asked again. */
export const containerRules: readonly ContainerRule[] = [
  {
    because: "the name of its image cannot be read",
    at: (view) => (imageNameFault(view.container.image ?? "") === undefined ? undefined : imageNeededAt(view, unnamed)),
    happens: (view) => {
      const message = imageNameFault(view.container.image ?? "") ?? ""
      const events = [warning("InspectFailed", message), warning("Failed", "Error: InvalidImageName")]
      return { status: waitsWith(view, "InvalidImageName", message), events }
    },
  },
  {
    because: "the name of its image can be read now",
    at: (view, now) => (waitsFor(view, misnamed) && imageNameFault(view.container.image ?? "") === undefined ? now : undefined),
    happens: (view) => ({ status: waitsWith(view, "ContainerCreating") }),
  },
  {
    because: "its image cannot be pulled",
    at: (view) => (fault(view) === undefined ? undefined : imageNeededAt(view, fresh)),
    happens: (view) => {
      const { image = "" } = view.container
      const message = fault(view) ?? ""
      const said = [normal("Pulling", `Pulling image "${image}"`), warning("Failed", `Failed to pull image "${image}": ${message}`)]
      return { status: waitsWith(view, "ErrImagePull", message), events: [...said, warning("Failed", "Error: ErrImagePull")] }
    },
  },
  {
    because: "its image is pulled again later",
    at: (view) =>
      waitsFor(view, new Set(["ErrImagePull"])) && fault(view) !== undefined ? (view.mayStartAt ?? 0) + pullBackOff : undefined,
    happens: (view) => {
      const said = `Back-off pulling image "${view.container.image}"`
      const status = waitsWith(view, "ImagePullBackOff", `${said}: ErrImagePull: ${fault(view)}`)
      return { status, events: [normal("BackOff", said), warning("Failed", "Error: ImagePullBackOff")] }
    },
  },
  {
    because: "its image can be pulled now",
    at: (view, now) => (waitsFor(view, new Set(["ErrImagePull", "ImagePullBackOff"])) && fault(view) === undefined ? now : undefined),
    happens: (view) => ({ status: waitsWith(view, "ContainerCreating") }),
  },
  {
    because: "it is its turn to start",
    at: (view) => (waitsFor(view, fresh) ? view.mayStartAt : undefined),
    happens: ({ pod, container, status }, now) => ({ status: runningStatus(pod, container, status, now), events: startEvents(container) }),
  },
  {
    because: "its image was changed",
    at: ({ status, container }, now) => (startOf(status) !== undefined && status.image !== (container.image ?? "") ? now : undefined),
    happens: ({ status, container }, now) => ({
      status: terminatedStatus(status, { exitCode: 143, at: now }),
      events: [normal("Killing", `Container ${container.name} definition changed, will be restarted`)],
    }),
  },
  {
    because: "its resources were changed",
    at: ({ pod, container, status }, now) => {
      if (startOf(status) === undefined || pod.status?.observedGeneration === pod.metadata.generation) return undefined
      return deepEqual({ ...status, ...givenResources(container) }, status) ? undefined : now
    },
    happens: ({ status, container }) => ({ status: { ...status, ...givenResources(container) } }),
  },
  {
    because: "its liveness probe fails",
    at: ({ status, behaviour }) => after(status, behaviour.alive.find(({ at }) => !holds(behaviour.alive, at))?.at),
    happens: ({ pod, status, container }, _now, at) => ({
      status: terminatedStatus(status, { exitCode: 137, at }),
      events: [warning("Unhealthy", "Liveness probe failed: its annotation says so"), probeKilling(pod, container, "liveness")],
    }),
  },
  {
    because: "it has done its work",
    at: ({ status, behaviour }) => after(status, behaviour.runTime),
    happens: ({ status, behaviour }, _now, at) => ({ status: terminatedStatus(status, { exitCode: behaviour.exitCode, at }) }),
  },
  {
    because: "it has ended and is started again",
    at: ({ status, pod, container }) => (isToStartAgain(pod, container, status) ? restartAt(status, container) : undefined),
    happens: ({ pod, container, status }, now) => ({ status: runningStatus(pod, container, status, now), events: startEvents(container) }),
  },
  backOffRule,
  readinessChange,
]

function waitsFor({ status }: ContainerView, reasons: ReadonlySet<string>): boolean {
  return reasons.has(status.state?.waiting?.reason ?? "")
}

/** When it needs its image: at its first start, and where it is to start again with another one. */
function imageNeededAt(view: ContainerView, reasons: ReadonlySet<string>): number | undefined {
  const { pod, container, status, mayStartAt } = view
  if (waitsFor(view, reasons)) return mayStartAt
  return isToStartAgain(pod, container, status) && status.image !== (container.image ?? "") ? restartAt(status, container) : undefined
}

/** It waits, and what it did before is not forgotten. */
export function waitsWith({ container, status }: ContainerView, reason: string, message?: string): ContainerStatus {
  const ended = status.state?.terminated ?? status.lastState?.terminated
  const waiting = { ...waitingStatus(container, reason, message), restartCount: status.restartCount }
  return ended === undefined ? waiting : { ...waiting, lastState: { terminated: ended } }
}

function fault({ pod, container }: ContainerView): string | undefined {
  return pullFault(pod, container)
}

export function isToStartAgain(pod: Pod, container: Container, { state, lastState }: ContainerStatus): boolean {
  const ended = state?.terminated ?? (state?.waiting?.reason === "CrashLoopBackOff" ? lastState?.terminated : undefined)
  return ended !== undefined && restarts(pod, container, ended.exitCode)
}

/** So long after the start of the present run; undefined where it does not run, or that moment never comes. */
function after(status: ContainerStatus, milliseconds: number | undefined): number | undefined {
  const start = startOf(status)
  return start === undefined || milliseconds === undefined || milliseconds === Number.POSITIVE_INFINITY ? undefined : start + milliseconds
}
