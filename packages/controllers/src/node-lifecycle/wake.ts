import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"
import { keyFor } from "./observe.ts"
import { readyCondition } from "./ready.ts"
import { hasEvictionTaint } from "./taints.ts"
import { isCounted, zoneOf } from "./zones.ts"

/** Whether the change is one that zones and the cluster as a whole are judged by. Heartbeats are none. */
export function changesTheZone(change: Change<Node>): boolean {
  return change.type === "updated" ? picture(change.old) !== picture(change.object) : change.type !== "resync"
}

export function zoneKeys(node: Node): readonly string[] {
  return [keyFor("zone", zoneOf(node))]
}

/** Whether the change gave the pod a node. */
export function wasPlaced(change: Change<Pod>, initial: boolean): boolean {
  const node = change.object.spec?.nodeName
  if (initial || !node) return false
  return change.type === "added" || (change.type === "updated" && node !== change.old.spec?.nodeName)
}

function picture(node: Node): string {
  return `${zoneOf(node)} ${readyCondition(node)?.status} ${isCounted(node)} ${hasEvictionTaint(node)}`
}
