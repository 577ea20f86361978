import { tolerates } from "@pilothouse/api"
import type { Taint } from "@pilothouse/api/core/v1"
import type { Filter } from "./filter.ts"
import { forGood } from "./refuse.ts"

/** What spec.unschedulable stands for: daemons tolerate it. */
const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }

const refusal = forGood("node(s) were unschedulable")

export const unschedulable: Filter = ({ pod }) => {
  if (pod.pod.spec?.tolerations?.some((toleration) => tolerates(toleration, cordon))) return undefined
  return ({ isCordoned }) => (isCordoned ? refusal : undefined)
}
