import { isPodTerminal, keyOf } from "@pilothouse/api"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, executor, podsByNode, watch } from "@pilothouse/runtime"
import { AssumedPods, type AssumePod, settle } from "./assumed-pods.ts"
import { decide } from "./decide.ts"
import { observe, unscheduledPods } from "./observe.ts"

/**
 * Gives every pod that has no node the best node that can take it.
 * One pod at a time: each decision sees the one before it, in the cache or among the assumed pods.
 */
export function scheduler(): Controller {
  const assumed = new AssumedPods()
  return controller("default-scheduler", {
    for: pods,
    watches: [
      watch(nodes, "a node changed, so a waiting pod may fit now", (_node, read) => read.byIndex(unscheduledPods, "yes").map(keyOf)),
      watch(pods, "a pod left its node, so a waiting pod may fit now", (_pod, read) => read.byIndex(unscheduledPods, "yes").map(keyOf), {
        when: leavesItsNode,
      }),
    ],
    indexes: [podsByNode, unscheduledPods],
    concurrency: 1,
    executors: [executor<AssumePod>("assume-pod", async (operation) => assumed.assume(operation))],
    observe: (key, read) => observe(key, read, assumed),
    decide,
    settle,
  })
}

/** A pod whose last state was missed may have had a node that the cache never showed. */
function leavesItsNode(change: Change<Pod>): boolean {
  if (change.type === "deleted") return change.finalStateUnknown || Boolean(change.object.spec?.nodeName)
  return change.type === "updated" && !isPodTerminal(change.old) && isPodTerminal(change.object)
}
