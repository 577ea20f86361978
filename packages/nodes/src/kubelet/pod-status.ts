import { formatTime } from "@pilothouse/api"
import type { ContainerStatus, Node, Pod, PodStatus } from "@pilothouse/api/core/v1"
import { nodeAddress } from "./node-status.ts"

const readyConditions = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"]

export function isRunning({ status }: Pod): boolean {
  return status?.phase !== undefined && status.phase !== "Pending"
}

/** All containers started, all probes passed. */
export function runningStatus(pod: Pod, node: Node, podIP: string, now: number): PodStatus {
  const time = formatTime(now)
  const gates = (pod.spec?.readinessGates ?? []).map((gate) => gate.conditionType)
  const scheduled = pod.status?.conditions?.filter((condition) => condition.type === "PodScheduled") ?? []
  const ready = [...readyConditions, ...gates].map((type) => ({ type, status: "True" as const, lastTransitionTime: time }))
  return {
    phase: "Running",
    startTime: time,
    hostIP: nodeAddress(node),
    hostIPs: [{ ip: nodeAddress(node) }],
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: [...scheduled, ...ready],
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = "" }) => running(pod, name, image, time)),
  }
}

function running({ metadata }: Pod, name: string, image: string, time: string): ContainerStatus {
  return {
    name,
    image,
    imageID: `simulated://${image}`,
    containerID: `simulated://${metadata.uid}/${name}`,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: time } },
  }
}
