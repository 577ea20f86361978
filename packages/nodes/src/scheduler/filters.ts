import { untoleratedTaint } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Candidate } from "./observe.ts"

type Filter = (pod: Pod, candidate: Candidate) => string | undefined

/** Each answers with the reason why not, in kube-scheduler's words, or with nothing. */
const filters: readonly Filter[] = [
  (_pod, { node }) => (node.spec?.unschedulable ? "node(s) were unschedulable" : undefined),
  (pod, { node }) => {
    const taint = untoleratedTaint(node.spec?.taints ?? [], pod.spec?.tolerations ?? [], { effects: ["NoSchedule", "NoExecute"] })
    return taint && `node(s) had untolerated taint(s)`
  },
  (pod, { node }) => {
    const wanted = Object.entries(pod.spec?.nodeSelector ?? {})
    return wanted.every(([name, value]) => node.metadata.labels?.[name] === value)
      ? undefined
      : "node(s) didn't match Pod's node affinity/selector"
  },
  (_pod, { node, pods }) => (pods.length < Number(node.status?.allocatable?.pods ?? 110) ? undefined : "Too many pods"),
]

/** Why the pod cannot go there; undefined when it can. */
export function whyNot(pod: Pod, candidate: Candidate): string | undefined {
  for (const filter of filters) {
    const reason = filter(pod, candidate)
    if (reason !== undefined) return reason
  }
  return undefined
}
