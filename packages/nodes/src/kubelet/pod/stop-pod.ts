import { formatTime, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { ContainerStatus, Pod, PodStatus } from "@pilothouse/api/core/v1"
import { stopTimeOf } from "../behaviour/behaviour.ts"
import { type Ended, knownStatus, terminatedStatus } from "../container/container-status.ts"
import { type KubeletEvent, normal } from "../container/kubelet-event.ts"
import type { PodView } from "../container/pod-step.ts"
import { endedByNow } from "../container/stop-processes.ts"
import { podStatus } from "./pod-status.ts"

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

/** Whether the deletion has its event: it is a new generation, and the status has observed it. */
export function isAnnounced({ metadata, status }: Pod): boolean {
  return metadata.generation !== undefined && status?.observedGeneration === metadata.generation
}

/** The server writes the end of the grace; its containers may be quicker. */
export function stoppedAt(pod: Pod): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
  const end = deletionTimestamp === undefined ? 0 : parseTime(deletionTimestamp)
  const grace = secondsInMilliseconds(deletionGracePeriodSeconds)
  return end - grace + Math.min(grace, stopTimeOf(pod))
}

/** The events of containers that are stopped. */
export function killing({ status }: Pod): readonly KubeletEvent[] {
  const running = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].filter(({ state }) => state?.running)
  return running.map(({ name }) => normal("Killing", `Stopping container ${name}`))
}
