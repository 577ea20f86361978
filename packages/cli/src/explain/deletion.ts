import { type KubeObject, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import { remaining, shortDuration } from "./durations.ts"

/** What the finalizers of Kubernetes wait for; those of others say who to ask. */
const awaited: Readonly<Record<string, string>> = {
  "batch.kubernetes.io/job-tracking": "until its Job has counted it",
  foregroundDeletion: "until what it owns is gone",
  "kubernetes.io/pv-protection": "while it is bound to a claim",
  "kubernetes.io/pvc-protection": "while a pod uses it",
  "kubernetes.io/vac-protection": "while a claim or a volume names it",
  orphan: "until what it owns has been released",
  "service.kubernetes.io/load-balancer-cleanup": "until its load balancer is gone",
}

/** Of an object that was deleted: since when, and why it is still there. */
export function deletionLines({ metadata }: KubeObject, now: number): readonly string[] {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata
  if (deletionTimestamp === undefined || deletionTimestamp === null) return []
  const over = parseTime(deletionTimestamp)
  const asked = over - secondsInMilliseconds(deletionGracePeriodSeconds ?? 0)
  const grace = over > now ? [`it has ${remaining(over - now)} left to end by itself`] : []
  return [`asked for ${shortDuration(now - asked)} ago`, ...grace, ...finalizers.map(held)]
}

function held(finalizer: string): string {
  return `the finalizer ${finalizer} holds it ${awaited[finalizer] ?? "until the one that added it removes it"}`
}
