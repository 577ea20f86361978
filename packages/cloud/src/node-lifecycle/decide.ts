import type { Taint } from "@pilothouse/api/core/v1"
import { type Plan, plan } from "@pilothouse/runtime"
import type { Duration } from "@pilothouse/seams"
import { withoutTaint } from "../node/uninitialized.ts"
import { type Observed, readiness } from "./observe.ts"

const shutdownTaint: Taint = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" }

export function decide({ node, machine }: Observed, monitorPeriod: Duration): Plan {
  const { name, resourceVersion } = node.metadata
  const isTainted = node.spec?.taints?.some(({ key }) => key === shutdownTaint.key) ?? false
  const patched = (taints: readonly Taint[], reason: string) =>
    plan().patch(node, { metadata: { resourceVersion }, spec: { taints } }, reason)
  if (readiness(node) === "True") {
    if (!isTainted) return plan().nothing("the node is Ready")
    return patched(withoutTaint(node, shutdownTaint.key), "its machine runs again")
  }
  if (machine === "gone") {
    return plan()
      .delete(node, "the cloud no longer has its machine")
      .event(node, "Normal", "DeletingNode", `Deleting node ${name} because it does not exist in the cloud provider`)
  }
  const next =
    machine === "shut down" && !isTainted ? patched([...(node.spec?.taints ?? []), shutdownTaint], "its machine is switched off") : plan()
  return next.requeueAfter(monitorPeriod, "the node is not Ready, and its machine may go")
}
