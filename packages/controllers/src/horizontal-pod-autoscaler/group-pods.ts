import { findCondition, parseTime } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PodSample, PodSamples } from "./samples.ts"

export interface ReadinessOptions {
  /** --horizontal-pod-autoscaler-cpu-initialization-period, in milliseconds: so long after its start the CPU use of a pod may mean nothing. */
  readonly cpuInitializationPeriod: number
  /** --horizontal-pod-autoscaler-initial-readiness-delay: a pod that became unready within it has never been ready. */
  readonly initialReadinessDelay: number
}

/** Names of pods by what their samples are good for. */
export interface PodGroups {
  readonly ready: number
  /** Not up yet, or so young that their CPU use is that of starting. */
  readonly unready: readonly string[]
  /** They run, and nobody knows what they use. */
  readonly missing: readonly string[]
  /** On their way out, or failed. */
  readonly ignored: readonly string[]
}

type Group = "ready" | Exclude<keyof PodGroups, "ready">

export interface GroupOptions extends ReadinessOptions {
  /** The resource that is measured; "" for metrics of other kinds. Only CPU has a warm-up. */
  readonly resource: string
  readonly now: number
}

export function groupPods(pods: readonly Pod[], samples: PodSamples, options: GroupOptions): PodGroups {
  const found: Record<Group, string[]> = { ready: [], unready: [], missing: [], ignored: [] }
  for (const pod of pods) found[groupOf(pod, samples.get(pod.metadata.name ?? ""), options)].push(pod.metadata.name ?? "")
  return { ...found, ready: found.ready.length }
}

function groupOf(pod: Pod, sample: PodSample | undefined, options: GroupOptions): Group {
  const { phase } = pod.status ?? {}
  if (pod.metadata.deletionTimestamp !== undefined || phase === "Failed") return "ignored"
  if (phase === "Pending") return "unready"
  if (sample === undefined) return "missing"
  return options.resource === "cpu" && isWarmingUp(pod, sample, options) ? "unready" : "ready"
}

/**
 * In its first minutes a pod counts only when it is ready and the sample was taken over a window that began after it became so.
 * Later one that is not ready still counts (it may be overloaded), unless it never was ready.
 */
function isWarmingUp({ status }: Pod, sample: PodSample, options: GroupOptions): boolean {
  const ready = findCondition(status?.conditions, "Ready")
  if (ready === undefined || !status?.startTime) return true
  const started = parseTime(status.startTime)
  const changed = ready.lastTransitionTime ? parseTime(ready.lastTransitionTime) : 0
  const isUnready = ready.status === "False"
  if (started + options.cpuInitializationPeriod > options.now) return isUnready || sample.at < changed + sample.window
  return isUnready && started + options.initialReadinessDelay > changed
}
