import type { Service } from "@pilothouse/api/core/v1"

const older = "service.kubernetes.io/topology-aware-hints"
const current = "service.kubernetes.io/topology-mode"

/** Whether traffic should be spread over the zones by their CPUs. The older annotation wins where both are set: so upstream. */
export function wantsTopologyHints({ metadata }: Service): boolean {
  const mode = metadata.annotations?.[older] ?? metadata.annotations?.[current]
  return mode === "Auto" || mode === "auto"
}
