import type { ContainerStatus, Pod, PodStatus } from "@pilothouse/api/core/v1"
import { hasDoneItsPart, initFailed, isOver } from "../container/step-containers.ts"

type Phase = NonNullable<PodStatus["phase"]>

/** The phase of a pod that goes its own way; who stops it says otherwise. */
export function podPhase(pod: Pod, init: readonly ContainerStatus[], main: readonly ContainerStatus[]): Phase {
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
