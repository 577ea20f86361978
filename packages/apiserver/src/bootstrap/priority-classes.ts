import type { PriorityClass } from "@pilothouse/api/scheduling/v1"

/** What the cluster itself needs goes before everything that users run. */
export const systemPriorityClasses: readonly PriorityClass[] = [
  systemClass(
    "system-cluster-critical",
    2_000_000_000,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  ),
  systemClass("system-node-critical", 2_000_001_000, "Used for system critical pods that must not be moved from their current node."),
]

function systemClass(name: string, value: number, description: string): PriorityClass {
  return {
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name, generation: 1 },
    value,
    description,
    preemptionPolicy: "PreemptLowerPriority",
  }
}
