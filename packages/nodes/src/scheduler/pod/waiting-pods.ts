import { isPodTerminal } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { index } from "@pilothouse/runtime"
import { claimNames } from "./pod-facts.ts"

/** The name of upstream's scheduler, which is the default of pods. */
export const schedulerName = "default-scheduler"

/** Reports whether a pod waits for a node from this scheduler. */
export function isWaiting(pod: Pod): boolean {
  const { metadata, spec } = pod
  return (
    !spec?.nodeName &&
    (spec?.schedulerName ?? schedulerName) === schedulerName &&
    (spec?.schedulingGates ?? []).length === 0 &&
    metadata.deletionTimestamp === undefined &&
    !isPodTerminal(pod)
  )
}

/** Waiting pods by the claims that they use. */
export const waitingByClaim = index(pods, "waiting-by-claim", (pod) =>
  isWaiting(pod) ? claimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`) : [],
)
