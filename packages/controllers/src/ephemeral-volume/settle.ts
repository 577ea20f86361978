import { hasCause } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { ephemeralClaimName } from "../shared/pods-by-claim.ts"
import type { Observed } from "./observe.ts"

/** Tells people which claim could not be made. */
export function settle({ pod, volumes }: Observed, results: readonly Result[]): Plan {
  const built = plan()
  for (const result of results) {
    if (result.ok !== false || result.operation.do !== "create" || hasCause(result.error, "NamespaceTerminating")) continue
    const { name } = (result.operation.object as PersistentVolumeClaim).metadata
    const of = volumes.find(({ volume }) => ephemeralClaimName(pod, volume) === name)
    const message = `ephemeral volume ${of?.volume.name}: create PVC ${name}: ${messageOf(result.error)}`
    built.event(pod, "Warning", "FailedBinding", message)
  }
  return built
}
