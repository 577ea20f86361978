import type { Pod } from "@pilothouse/api/core/v1"
import { none, or } from "../columns/cells.ts"
import { age } from "../columns/human-duration.ts"
import type { Printer, RowCondition } from "../columns/printer.ts"
import { podSummary } from "./pod-summary.ts"

export const podPrinter: Printer<Pod> = {
  columns: [
    { name: "Name", type: "string", format: "name" },
    { name: "Ready", type: "string" },
    { name: "Status", type: "string" },
    { name: "Restarts", type: "string" },
    { name: "Age", type: "string" },
    { name: "IP", type: "string", wide: true },
    { name: "Node", type: "string", wide: true },
    { name: "Nominated Node", type: "string", wide: true },
    { name: "Readiness Gates", type: "string", wide: true },
  ],
  cells: (pod, now) => {
    const { ready, total, reason, restarts, lastRestart } = podSummary(pod)
    return [
      pod.metadata.name ?? "",
      `${ready}/${total}`,
      reason,
      restarts !== 0 && lastRestart !== undefined ? `${restarts} (${age(lastRestart, now)} ago)` : String(restarts),
      age(pod.metadata.creationTimestamp, now),
      or(pod.status?.podIPs?.[0]?.ip, none),
      or(pod.spec?.nodeName, none),
      or(pod.status?.nominatedNodeName, none),
      readinessGates(pod),
    ]
  },
  conditions: (pod) => completed[pod.status?.phase ?? ""],
}

const completed: Readonly<Record<string, readonly RowCondition[]>> = {
  Succeeded: [{ type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." }],
  Failed: [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }],
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? []
  if (gates.length === 0) return none
  const isTrue = (type: string) => status?.conditions?.find((condition) => condition.type === type)?.status === "True"
  return `${gates.filter((gate) => isTrue(gate.conditionType)).length}/${gates.length}`
}
