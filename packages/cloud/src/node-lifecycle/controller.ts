import { type Node, nodes, type Taint } from "@pilothouse/api/core/v1"
import {
  type Change,
  type Controller,
  controller,
  durationFlag,
  fixedIntervalLimiter,
  type Plan,
  plan,
  type Result,
} from "@pilothouse/runtime"
import { type Clock, type Duration, messageOf } from "@pilothouse/seams"
import { withoutTaint } from "../node/uninitialized.ts"
import { CloudCalls } from "../provider/cloud-calls.ts"
import { cloudDescriptor, requireCapability } from "../provider/cloud-descriptor.ts"
import type { Instances } from "../provider/provider.ts"
import { type Observed, observe, readiness } from "./observe.ts"

/** The cloud, and the flags of cloud-node-lifecycle-controller. */
export interface CloudNodeLifecycleOptions {
  readonly instances: Instances
  readonly clock: Clock
  /** --node-monitor-period */
  readonly monitorPeriod?: Duration
}

const maxWaiting = 100

/**
 * Deletes nodes whose machine the cloud no longer has, and taints those whose machine is switched off. Only nodes that are not Ready
 * cause requests to the cloud. The period does not back off on failures: after an outage, deleted instances must be found at once.
 */
export function cloudNodeLifecycleController({ instances, clock, monitorPeriod = "5s" }: CloudNodeLifecycleOptions): Controller {
  const context = { instances, clock, calls: new CloudCalls({ clock, maxConcurrent: maxWaiting }) }
  return controller("cloud-node-lifecycle-controller", {
    for: nodes,
    predicate: (change) => concernsLifecycle(change as Change<Node>),
    maxConcurrentReconciles: maxWaiting,
    backoff: () => fixedIntervalLimiter(monitorPeriod),
    observe: (key, read, signal) => observe(key, read, signal, context),
    decide: (observed) => decide(observed, monitorPeriod),
    settle,
  })
}

/** cloud-node-lifecycle-controller in the table of cloud controllers. */
export const cloudNodeLifecycleDescriptor = cloudDescriptor({
  name: "cloud-node-lifecycle-controller",
  aliases: ["cloud-node-lifecycle"],
  flags: {
    "node-monitor-period": durationFlag("5s", "how often a node that is not Ready is checked"),
  },
  create: (set, { provider, clock }) =>
    cloudNodeLifecycleController({
      instances: requireCapability(provider, "instances", "instances"),
      clock,
      monitorPeriod: set["node-monitor-period"],
    }),
})

function concernsLifecycle(change: Change<Node>): boolean {
  return change.type !== "updated" || readiness(change.old) !== readiness(change.object)
}

const shutdownTaint: Taint = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" }

function decide({ node, machine }: Observed, monitorPeriod: Duration): Plan {
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

/** Records the event of a node that could not be deleted. */
function settle({ node }: Observed, results: readonly Result[]): Plan {
  const failed = results.find((result) => result.ok === false && result.operation.do === "delete")
  if (failed?.ok !== false) return plan()
  const message = `Failed deleting node ${node.metadata.name}: ${messageOf(failed.error)}`
  return plan().event(node, "Warning", "DeletingNodeFailed", message)
}
