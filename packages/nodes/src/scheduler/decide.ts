import { type Plan, plan } from "@pilothouse/runtime"
import { whyNot } from "./filters.ts"
import type { Candidate, Observed } from "./observe.ts"

export function decide({ pod, candidates }: Observed): Plan {
  const refusals = candidates.map((candidate) => ({ candidate, reason: whyNot(pod, candidate) }))
  const fitting = refusals.filter(({ reason }) => reason === undefined).map(({ candidate }) => candidate)
  const best = leastLoaded(fitting)
  if (best !== undefined) {
    const name = best.node.metadata.name ?? ""
    const because = `${name} fits and has the fewest pods (${best.pods.length}) of ${fitting.length} nodes that fit`
    const { namespace, name: podName } = pod.metadata
    return plan().bind(pod, name, because).event(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${podName} to ${name}`)
  }
  const message = `0/${candidates.length} nodes are available: ${summarise(refusals.map(({ reason }) => reason ?? ""))}`
  const waiting = plan().waitFor("a node that fits").nothing(message)
  return alreadySaid(pod, message)
    ? waiting
    : waiting
        .event(pod, "Warning", "FailedScheduling", message)
        .patch(pod, unschedulable(message), message, { type: "strategic", subresource: "status" })
}

/** Ties go to the first by name, so that the same observation gives the same node. */
function leastLoaded(candidates: readonly Candidate[]): Candidate | undefined {
  return [...candidates].sort(
    (a, b) => a.pods.length - b.pods.length || ((a.node.metadata.name ?? "") < (b.node.metadata.name ?? "") ? -1 : 1),
  )[0]
}

/** "1 node(s) were unschedulable, 2 Too many pods." as kube-scheduler says it. */
function summarise(reasons: readonly string[]): string {
  if (reasons.length === 0) return "no nodes available to schedule pods."
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return `${[...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ")}.`
}

function alreadySaid(pod: Observed["pod"], message: string): boolean {
  return pod.status?.conditions?.some((condition) => condition.type === "PodScheduled" && condition.message === message) ?? false
}

function unschedulable(message: string): unknown {
  return { status: { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] } }
}
