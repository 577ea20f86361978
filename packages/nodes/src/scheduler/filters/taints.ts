import { untoleratedTaint } from "@pilothouse/api"
import type { Toleration } from "@pilothouse/api/core/v1"
import type { NodeView } from "../cache/node-state.ts"
import type { Filter } from "./filter.ts"
import { unresolvable } from "./refuse.ts"

const refusal = unresolvable("node(s) had untolerated taint(s)")

/** The filter of TaintToleration: refuses nodes with a taint of effect NoSchedule or NoExecute that the pod does not tolerate. */
export const taints: Filter =
  ({ pod }) =>
  (node) =>
    toleratesTaints(node, pod.pod.spec?.tolerations) ? undefined : refusal

/** Taints that only ask pods to stay away count in the score. */
export function toleratesTaints({ taints: found }: NodeView, tolerations: readonly Toleration[] | undefined): boolean {
  if (found.length === 0) return true
  return untoleratedTaint(found, tolerations, { effects: ["NoSchedule", "NoExecute"] }) === undefined
}
