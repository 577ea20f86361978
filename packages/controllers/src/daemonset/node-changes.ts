import { controllerOf, deepEqual, keyOf } from "@pilothouse/api"
import { type DaemonSet, daemonSets } from "@pilothouse/api/apps/v1"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Change, podsByNode, type Reader, type Watch, watch } from "@pilothouse/runtime"
import { eligibilityFor } from "./eligibility.ts"

/** Heartbeats are not looked at: only labels and taints decide where daemons run. */
export const nodeWatch: Watch = watch(nodes, "a node came, went or changed, and its pods are not as they should be", concernedBy, {
  // Those that were there at the start wake nobody: every DaemonSet is looked at then.
  predicate: (change, initial) => !initial && changesPlacement(change),
})

export function changesPlacement(change: Change<Node>): boolean {
  if (change.type !== "updated") return true
  const { old, object } = change
  return !deepEqual(old.metadata.labels, object.metadata.labels) || !deepEqual(old.spec?.taints, object.spec?.taints)
}

/** A node that changes is rare, and may concern every DaemonSet: all of them are asked, but only those that have something to do are woken. */
function concernedBy(node: Node, read: Reader): readonly string[] {
  const name = keyOf(node)
  const owners = new Set(read.byIndex(podsByNode, name).map((pod) => controllerOf(pod)?.uid))
  const current = read.get(nodes, name)
  return read
    .list(daemonSets)
    .filter((daemonSet) => isConcerned(daemonSet, current, owners.has(daemonSet.metadata.uid)))
    .map(keyOf)
}

/** A node that is gone is one less to count. */
export function isConcerned(daemonSet: DaemonSet, node: Node | undefined, scheduled: boolean): boolean {
  if (node === undefined) return true
  const { runs, stays } = eligibilityFor(daemonSet)(node)
  const misscheduled = (daemonSet.status?.numberMisscheduled ?? 0) > 0
  return (runs && !scheduled) || (!stays && scheduled) || (scheduled && misscheduled)
}
