import { isPodAvailable, isPodReady } from "@pilothouse/api"
import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"

export const revisionLabel = "controller-revision-hash"

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === "Running" && isPodReady(pod)
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}

export function isAvailable(pod: Pod, set: StatefulSet, now: number): boolean {
  return isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now)
}

export function podRevision({ metadata }: Pod): string {
  return metadata.labels?.[revisionLabel] ?? ""
}
