import type { ContainerStatus, Pod, PodStatus } from "@pilothouse/api/core/v1"
import type { Place } from "../container/pod-step.ts"
import { podConditions } from "./pod-conditions.ts"

/** The phase of a pod and the statuses of its containers. */
export interface PodCourse {
  readonly phase: NonNullable<PodStatus["phase"]>
  readonly init: readonly ContainerStatus[]
  readonly main: readonly ContainerStatus[]
  readonly ephemeral?: readonly ContainerStatus[]
  readonly startTime: string
}

/** All that a kubelet says of a pod. */
export function podStatus(
  pod: Pod,
  { hostIP, podIP }: Place,
  { phase, init, main, ephemeral = [], startTime }: PodCourse,
  now: number,
): PodStatus {
  const { status, metadata } = pod
  return {
    ...status,
    phase,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    startTime,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP !== undefined && { podIP, podIPs: [{ ip: podIP }] }),
    conditions: podConditions(pod, { phase, init, main, hasAddress: podIP !== undefined }, now),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: main,
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
  }
}
