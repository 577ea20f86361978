import type { Node, Taint } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { nodeTaints } from "./taints.ts"

export interface NodeChanges {
  readonly taints?: readonly Taint[]
  readonly labels?: Readonly<Record<string, string>>
}

/** Plans one write of taints and labels at the observed version: taints are one list, which another client may have changed. */
export function patchNode(built: PlanBuilder, node: Node, { taints, labels }: NodeChanges, reason: string): void {
  const metadata = { resourceVersion: node.metadata.resourceVersion, ...(labels && { labels }) }
  built.patch(node, { metadata, ...(taints && { spec: { taints } }) }, reason)
}

/** Plans nothing when the taints are the node's own list. */
export function patchTaints(built: PlanBuilder, node: Node, taints: readonly Taint[], reason: string): void {
  if (taints !== nodeTaints(node)) patchNode(built, node, { taints }, reason)
}
