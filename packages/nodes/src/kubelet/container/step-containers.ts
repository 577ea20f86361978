import { isSidecar, parseTime } from "@pilothouse/api"
import type { Container, ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { behaviourOf } from "../behaviour/behaviour.ts"
import { knownStatus, terminatedStatus } from "./container-status.ts"
import type { KubeletEvent } from "./kubelet-event.ts"
import type { PodView } from "./pod-step.ts"
import { isLive, isProcess, type ProcessOrder } from "./process-facts.ts"
import { environmentFault } from "./references.ts"
import { restarts } from "./restart.ts"
import { earliest, stepContainer } from "./step-container.ts"

/** All containers of a pod after all that is due has happened. */
export interface SteppedContainers {
  readonly init: readonly ContainerStatus[]
  readonly main: readonly ContainerStatus[]
  /** Ephemeral containers. */
  readonly ephemeral: readonly ContainerStatus[]
  readonly events: readonly KubeletEvent[]
  readonly reason: readonly string[]
  readonly due: number | undefined
  readonly orders: readonly ProcessOrder[]
}

/** Steps all containers of a pod in their order: each init container waits for the one before it, the others for all of them. */
export function stepContainers(
  pod: Pod,
  startAt: number | undefined,
  now: number,
  { processes, find }: Pick<PodView, "processes" | "find"> = {},
): SteppedContainers {
  const { initContainers = [], containers = [] } = pod.spec ?? {}
  const events: KubeletEvent[] = []
  const reason: string[] = []
  const dues: (number | undefined)[] = []
  const orders: ProcessOrder[] = []
  const idle = initContainers.length > 0 ? "PodInitializing" : "ContainerCreating"
  let mayStartAt: number | undefined = startAt
  const step = (container: Container, known: readonly ContainerStatus[] | undefined): ContainerStatus => {
    const status = knownStatus(container, known, idle)
    // One that is to be something else is a process until that has ended.
    const wasProcess = status.state?.running !== undefined && processes?.run(container.name, status.restartCount) !== undefined
    const process = isProcess(container) || wasProcess ? processes : undefined
    const configFault = find && (() => environmentFault(pod, container, find))
    const done = stepContainer({ pod, container, status, behaviour: behaviourOf(pod, container), mayStartAt, process, configFault }, now)
    if (done.order !== undefined) orders.push(done.order)
    events.push(...done.events)
    reason.push(...done.reason)
    dues.push(done.due)
    return done.status
  }
  const init = initContainers.map((container) => {
    const status = step(container, pod.status?.initContainerStatuses)
    mayStartAt = hasDoneItsPart(container, status) && mayStartAt !== undefined ? Math.max(mayStartAt, partDoneAt(status)) : undefined
    return status
  })
  const main = containers.map((container) => step(container, pod.status?.containerStatuses))
  const ephemeral = (pod.spec?.ephemeralContainers ?? []).map((container) =>
    step(container as Container, pod.status?.ephemeralContainerStatuses),
  )
  const all = { init, main, ephemeral, events, reason, orders, due: earliest(dues) }
  if (!initFailed(pod, init) && !isOver(pod, containers, main)) return all
  // Nothing is started any more. A process is stopped first: until it has ended, its pod has not.
  const isLeft = ({ name, restartCount }: ContainerStatus) => isLive(processes?.run(name, restartCount))
  return { ...all, init: init.map((status) => (isLeft(status) ? status : sidecarStopped(status, now))), orders: [] }
}

/** Reports whether nothing is left to do but to stop its sidecars, as far as its status knows. */
export function isWorkDone(pod: Pod): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  return initFailed(pod, initContainerStatuses) || isOver(pod, pod.spec?.containers ?? [], containerStatuses)
}

/** Reports whether what comes after it may begin: an init container has ended well, a sidecar has started. */
export function hasDoneItsPart(container: Container, { state, started, restartCount }: ContainerStatus): boolean {
  if (isSidecar(container)) return started === true || restartCount > 0 || state?.terminated !== undefined
  return state?.terminated?.exitCode === 0
}

/** When it did that, as far as its status knows: what comes after it counts from then. */
function partDoneAt({ state }: ContainerStatus): number {
  const at = state?.terminated?.finishedAt ?? state?.running?.startedAt
  return at === undefined ? 0 : parseTime(at)
}

/** An init container that failed for good takes the pod with it. */
export function initFailed(pod: Pod, init: readonly ContainerStatus[]): boolean {
  return (pod.spec?.initContainers ?? []).some((container) => {
    const ended = init.find(({ name }) => name === container.name)?.state?.terminated
    return ended !== undefined && ended.exitCode !== 0 && !restarts(pod, container, ended.exitCode)
  })
}

/** Reports whether all of them have ended for good. */
export function isOver(pod: Pod, containers: readonly Container[], statuses: readonly ContainerStatus[]): boolean {
  if (containers.length === 0) return false
  return containers.every((container) => {
    const ended = statuses.find(({ name }) => name === container.name)?.state?.terminated
    return ended !== undefined && !restarts(pod, container, ended.exitCode)
  })
}

/** Sidecars are stopped when no other container is left. */
export function sidecarStopped(status: ContainerStatus, now: number): ContainerStatus {
  return status.state?.running === undefined ? status : terminatedStatus(status, { exitCode: 0, at: now })
}
