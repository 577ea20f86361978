import { keyOf } from "@pilothouse/api"
import { type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { hasAnnotation, selectedNode } from "./annotations.ts"
import type { ObservedClaim } from "./observe-claim.ts"
import { notProvisioned } from "./provision.ts"

/** Tells people what could not be made. What was made and not saved is found by the next try, or swept once the claim is gone. */
export function settleProvision(observed: ObservedClaim, results: readonly Result[]): Plan {
  const failed = results.find((result) => result.ok === false)
  if (failed?.ok !== false) return plan()
  const error = messageOf(failed.error)
  if (failed.operation.do === "create") {
    return notProvisioned(observed, `Error creating provisioned PV object for claim ${keyOf(observed.claim)}: ${error}.`)
  }
  return failed.operation.do === "provision-volume" ? notMade(observed, error) : plan()
}

/** The scheduler may find a node where it works. */
function notMade(observed: ObservedClaim, error: string): Plan {
  const { claim, class: storageClass } = observed
  const message = `Failed to provision volume with StorageClass "${storageClass?.metadata.name}": ${error}`
  const built = notProvisioned(observed, message)
  if (!hasAnnotation(claim, selectedNode)) return built
  const patch = { metadata: { uid: claim.metadata.uid, annotations: { [selectedNode]: null } } }
  return built.patch(claim, patch, "another node may do")
}
