import { formatTime, parseTime } from "@pilothouse/api"
import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from "@pilothouse/api/core/v1"

/** A container that has not run yet. */
export function waitingStatus(container: Container, reason: string, message?: string): ContainerStatus {
  return {
    name: container.name,
    image: container.image ?? "",
    imageID: "",
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason, ...(message !== undefined && { message }) } },
  }
}

/** Returns the status of the container; that it waits, where there is none yet. */
export function knownStatus(
  container: Container,
  known: readonly ContainerStatus[] | undefined,
  reason = "ContainerCreating",
): ContainerStatus {
  return known?.find(({ name }) => name === container.name) ?? waitingStatus(container, reason)
}

/** Its run number `restartCount`, from now on. */
export function runningStatus(pod: Pod, container: Container, before: ContainerStatus, now: number): ContainerStatus {
  const ended = before.state?.terminated ?? before.lastState?.terminated
  const restartCount = ended === undefined ? before.restartCount : before.restartCount + 1
  const image = container.image ?? ""
  return {
    name: container.name,
    image,
    imageID: `simulated://${image}`,
    containerID: `simulated://${pod.metadata.uid}/${container.name}/${restartCount}`,
    ready: false,
    started: false,
    restartCount,
    state: { running: { startedAt: formatTime(now) } },
    ...(ended !== undefined && { lastState: { terminated: ended } }),
    ...givenResources(container),
  }
}

/** Returns the resources that the node allocates to a container: all that it requests. */
export function givenResources({
  resources: { requests, limits } = {},
}: Container): Pick<ContainerStatus, "allocatedResources" | "resources"> {
  return {
    ...(requests !== undefined && { allocatedResources: requests }),
    ...((requests ?? limits) !== undefined && { resources: { ...(limits && { limits }), ...(requests && { requests }) } }),
  }
}

/** How a run of a container ended. */
export interface Ended {
  readonly exitCode: number
  readonly at: number
  readonly reason?: string
  readonly message?: string
}

/** The same container after its end; one that never ran has ended with what its runtime says of that. */
export function terminatedStatus(status: ContainerStatus, { exitCode, at, reason, message }: Ended): ContainerStatus {
  const startedAt = status.state?.running?.startedAt
  const terminated: ContainerStateTerminated = {
    exitCode,
    reason: reason ?? (exitCode === 0 ? "Completed" : "Error"),
    ...(message !== undefined && { message }),
    ...(startedAt !== undefined && { startedAt }),
    finishedAt: formatTime(at),
    ...(status.containerID !== undefined && { containerID: status.containerID }),
  }
  return { ...status, ready: false, started: false, state: { terminated } }
}

/** When its present run began, in milliseconds. */
export function startOf({ state }: ContainerStatus): number | undefined {
  const started = state?.running?.startedAt
  return started === undefined ? undefined : parseTime(started)
}
