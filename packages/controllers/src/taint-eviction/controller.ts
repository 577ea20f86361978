import { deepEqual, keyOf } from "@pilothouse/api"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, exponentialLimiter, podsByNode, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { decide, withTimer } from "./decide.ts"
import { taintEvictionMetrics } from "./metrics.ts"
import { noExecuteTaints, observe } from "./observe.ts"
import { rememberTimersIn, Timers } from "./timers.ts"

/** The longest backoff in milliseconds. */
const maxWait = 30_000

/**
 * Deletes the pods of nodes with NoExecute taints: at once without a toleration, otherwise when its tolerationSeconds have passed.
 * Watches pods and nodes; adds the condition DisruptionTarget before it deletes. A timer is cancelled when the taints are removed, and is not
 * changed by editing tolerations.
 */
export function taintEvictionController({ metrics }: { readonly metrics?: Metrics } = {}): Controller {
  const timers = new Timers()
  return controller("taint-eviction-controller", {
    for: pods,
    predicate: (change) => concernsPod(change as Change<Pod>),
    watches: [
      watch(nodes, "the taints of its node changed", ({ metadata }, read) => read.byIndex(podsByNode, metadata.name ?? "").map(keyOf), {
        predicate: taintsChanged,
      }),
    ],
    indexes: [podsByNode],
    maxConcurrentReconciles: 8,
    backoff: () => exponentialLimiter({ base: 10, max: maxWait }),
    observe: (key, read) => observe(key, read, timers),
    executors: [rememberTimersIn(timers)],
    onReconciled: metrics && taintEvictionMetrics(metrics),
    decide: (observed, { now }) => withTimer(observed, decide(observed, now)),
  })
}

/** Reports whether the change concerns evictions; status changes do not. */
function concernsPod(change: Change<Pod>): boolean {
  if (change.type !== "updated") return change.type !== "resync" && Boolean(change.object.spec?.nodeName)
  const [before, after] = [change.old, change.object]
  return (
    before.spec?.nodeName !== after.spec?.nodeName ||
    before.metadata.uid !== after.metadata.uid ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    !deepEqual(before.spec?.tolerations, after.spec?.tolerations)
  )
}

function taintsChanged(change: Change<Node>): boolean {
  if (change.type === "deleted" || change.type === "resync") return false
  const before = change.type === "updated" ? noExecuteTaints(change.old) : []
  return !deepEqual(before, noExecuteTaints(change.object))
}

export const taintEvictionDescriptor = descriptor({
  name: "taint-eviction-controller",
  create: (_set, { metrics }) => taintEvictionController({ metrics }),
})
