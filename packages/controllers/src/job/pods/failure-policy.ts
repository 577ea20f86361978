import type { Job, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule } from "@pilothouse/api/batch/v1"
import type { ContainerStatus, Pod, PodCondition } from "@pilothouse/api/core/v1"
import { hasPodFailed } from "./pod-outcome.ts"

/** What the failure of a pod means for its Job. */
export interface Verdict {
  /** The action of the first rule that matches; none when no rule does. */
  readonly action?: PodFailurePolicyRule["action"]
  /** Whether the failure counts towards the backoff limits. */
  readonly counts: boolean
  /** Why the Job has failed; only with FailJob. */
  readonly message?: string
}

const actions: ReadonlySet<string> = new Set(["Ignore", "FailIndex", "Count", "FailJob"])

/** The first rule that matches decides. Rules with an unknown action of a later Kubernetes are skipped. */
export function judgeFailure({ spec }: Job, pod: Pod): Verdict {
  for (const [index, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    if (!actions.has(rule.action)) continue
    const what = matchRule(rule, pod)
    if (what === undefined) continue
    const message = `${what} matching ${rule.action} rule at index ${index}`
    return { action: rule.action, counts: rule.action !== "Ignore", ...(rule.action === "FailJob" && { message }) }
  }
  return { counts: true }
}

/** Returns why one of the pods fails the whole Job at once. */
export function failJobMessage(job: Job, pods: readonly Pod[]): string | undefined {
  if (job.spec?.podFailurePolicy === undefined) return undefined
  for (const pod of pods) {
    const message = hasPodFailed(pod, job) ? judgeFailure(job, pod).message : undefined
    if (message !== undefined) return message
  }
  return undefined
}

function matchRule({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`
  if (onExitCodes !== undefined) {
    const container = exitMatching(pod, onExitCodes)
    return container && `Container ${container.name} for pod ${name} failed with exit code ${container.state?.terminated?.exitCode}`
  }
  const condition = pod.status?.conditions?.find((present) => isAmong(present, onPodConditions ?? []))
  return condition && `Pod ${name} has condition ${condition.type}`
}

/** Checks containers before init containers. Exit code 0 is never a failure. */
function exitMatching({ status }: Pod, rule: PodFailurePolicyOnExitCodesRequirement): ContainerStatus | undefined {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
  return all.find(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0
    if (code === 0 || (rule.containerName !== undefined && rule.containerName !== name)) return false
    if (rule.operator === "In") return rule.values.includes(code)
    return rule.operator === "NotIn" && !rule.values.includes(code)
  })
}

function isAmong({ type, status }: PodCondition, patterns: NonNullable<PodFailurePolicyRule["onPodConditions"]>): boolean {
  return patterns.some((pattern) => pattern.type === type && (pattern.status ?? "True") === status)
}
