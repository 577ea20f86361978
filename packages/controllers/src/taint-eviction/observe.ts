import { type Node, nodes, type Pod, pods, type Taint } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import type { Timer, Timers } from "./timers.ts"

/** A pod, the NoExecute taints of its node and the timer that runs for it. */
export interface Observed {
  readonly key: string
  /** Undefined when the pod is gone. */
  readonly pod?: Pod
  /** The NoExecute taints of its node; undefined when the node does not exist. */
  readonly taints?: readonly Taint[]
  readonly timer?: Timer
  /** A timer of an earlier pod of the same name remains. */
  readonly hasStaleTimer?: boolean
}

export function observe(key: string, read: Reader, timers: Timers): Observed | undefined {
  const pod = read.get(pods, key)
  if (pod === undefined) return timers.of(key) && { key, timer: timers.of(key) }
  const node = pod.spec?.nodeName ? read.get(nodes, pod.spec.nodeName) : undefined
  const timer = timers.of(key, pod.metadata.uid)
  return { key, pod, taints: node && noExecuteTaints(node), timer, hasStaleTimer: timer === undefined && timers.of(key) !== undefined }
}

export function noExecuteTaints({ spec }: Node): readonly Taint[] {
  return (spec?.taints ?? []).filter((taint) => taint.effect === "NoExecute")
}
