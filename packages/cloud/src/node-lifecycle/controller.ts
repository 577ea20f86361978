import { findCondition } from "@pilothouse/api"
import { type Node, nodes, type Taint } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, type Plan, plan, type Reader, type Result } from "@pilothouse/runtime"
import { type Clock, type Duration, messageOf } from "@pilothouse/seams"
import { CloudCalls } from "../cloud-calls.ts"
import { isUninitialized, withoutTaint } from "../node/uninitialized.ts"
import type { Instances } from "../provider.ts"

export interface CloudNodeLifecycleOptions {
  readonly instances: Instances
  readonly clock: Clock
  /** --node-monitor-period */
  readonly monitorPeriod?: Duration
}

export interface Observed {
  readonly node: Node
  /** What the cloud says of its machine; undefined where it was not asked. */
  readonly machine?: "running" | "shut down" | "gone"
}

const shutdownTaint: Taint = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" }
/** How long a new node may be unknown to the cloud. */
const uninitializedDelay = 60_000
const mostWaiting = 100

/**
 * Deletes nodes whose machine the cloud no longer has, and taints those whose machine is switched off. The cloud is asked only about nodes that
 * are not Ready: a Ready one is there.
 */
export function cloudNodeLifecycleController({ instances, clock, monitorPeriod = "5s" }: CloudNodeLifecycleOptions): Controller {
  const calls = new CloudCalls({ clock, atOnce: mostWaiting })
  const observe = async (key: string, read: Reader, outer: AbortSignal): Promise<Observed | undefined> => {
    const found = read.get(nodes, key)
    if (found === undefined) return undefined
    const machine = mayBeGone(found, clock.now())
      ? await calls.run("find a machine", (signal) => machineOf(found, instances, signal), outer)
      : undefined
    const node = read.get(nodes, key)
    // Another node may have taken the name meanwhile: what the cloud said is not about that one.
    return node && { node, machine: node.metadata.uid === found.metadata.uid ? machine : undefined }
  }
  return controller("cloud-node-lifecycle-controller", {
    for: nodes,
    when: (change) => concernsLifecycle(change as Change<Node>),
    concurrency: mostWaiting,
    observe,
    decide: (observed) => decide(observed, monitorPeriod),
    settle,
  })
}

function concernsLifecycle(change: Change<Node>): boolean {
  return change.type !== "updated" || readiness(change.old) !== readiness(change.object)
}

async function machineOf(node: Node, instances: Instances, signal: AbortSignal): Promise<Observed["machine"]> {
  if (!(await instances.exists(node, signal))) return "gone"
  return (await instances.isShutDown(node, signal)) ? "shut down" : "running"
}

function mayBeGone(node: Node, now: number): boolean {
  if (readiness(node) === "True") return false
  if (node.spec?.providerID || !isUninitialized(node)) return true
  return now - Date.parse(node.metadata.creationTimestamp ?? "") >= uninitializedDelay
}

function readiness({ status }: Node): string {
  return findCondition(status?.conditions, "Ready")?.status ?? "Unknown"
}

export function decide({ node, machine }: Observed, monitorPeriod: Duration): Plan {
  const { name, resourceVersion } = node.metadata
  const isTainted = node.spec?.taints?.some(({ key }) => key === shutdownTaint.key) ?? false
  const patched = (taints: readonly Taint[], because: string) =>
    plan().patch(node, { metadata: { resourceVersion }, spec: { taints } }, because)
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
  return next.lookAgain(monitorPeriod, "the node is not Ready, and its machine may go")
}

function settle({ node }: Observed, results: readonly Result[]): Plan {
  const failed = results.find((result) => result.ok === false && result.operation.do === "delete")
  if (failed?.ok !== false) return plan()
  const message = `Failed deleting node ${node.metadata.name}: ${messageOf(failed.error)}`
  return plan().event(node, "Warning", "DeletingNodeFailed", message)
}
