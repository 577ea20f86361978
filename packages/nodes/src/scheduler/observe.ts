import { isPodTerminal } from "@pilothouse/api"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { index, podsByNode, type Reader } from "@pilothouse/runtime"
import type { AssumedPods } from "./assumed-pods.ts"

/** Pods that wait for this scheduler, under the one value "yes". */
export const unscheduledPods = index(pods, "unscheduled", (pod) => (isWaiting(pod) ? ["yes"] : []))

export interface Candidate {
  readonly node: Node
  /** Pods on the node that still use it. */
  readonly pods: readonly Pod[]
}

export interface Observed {
  readonly pod: Pod
  readonly candidates: readonly Candidate[]
}

/** Candidates have the pods that the cache shows on them and those that are assumed to be there. */
export function observe(key: string, read: Reader, assumed: AssumedPods): Observed | undefined {
  const pod = read.get(pods, key)
  assumed.refresh(read)
  if (pod === undefined || !isWaiting(pod) || assumed.has(pod)) return undefined
  const candidates = read.list(nodes).map((node) => {
    const name = node.metadata.name ?? ""
    return { node, pods: [...read.byIndex(podsByNode, name).filter((other) => !isPodTerminal(other)), ...assumed.on(name)] }
  })
  return { pod, candidates }
}

function isWaiting(pod: Pod): boolean {
  const { nodeName, schedulerName = "default-scheduler", schedulingGates = [] } = pod.spec ?? {}
  return (
    !nodeName &&
    schedulerName === "default-scheduler" &&
    schedulingGates.length === 0 &&
    pod.metadata.deletionTimestamp === undefined &&
    !isPodTerminal(pod)
  )
}
