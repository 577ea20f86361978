import { isPodTerminal } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { index } from "@pilothouse/runtime"
import { defaultSchedulerName } from "../profiles/profile.ts"
import { claimNames } from "./pod-facts.ts"

/** The names of schedulers whose pods are placed here. */
export type SchedulerNames = ReadonlySet<string>

const onlyDefault: ReadonlySet<string> = new Set([defaultSchedulerName])

/** Reports whether a pod waits for a node from this scheduler. */
export function isWaiting(pod: Pod, schedulers: SchedulerNames = onlyDefault): boolean {
  return schedulers.has(pod.spec?.schedulerName ?? defaultSchedulerName) && isUnplaced(pod)
}

/** Reports whether a pod waits for a node, from whichever scheduler. */
export function isUnplaced(pod: Pod): boolean {
  const { metadata, spec } = pod
  return !spec?.nodeName && (spec?.schedulingGates ?? []).length === 0 && metadata.deletionTimestamp === undefined && !isPodTerminal(pod)
}

/** Unplaced pods by the claims that they use. */
export const waitingByClaim = index(pods, "waiting-by-claim", (pod) =>
  isUnplaced(pod) ? claimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`) : [],
)
