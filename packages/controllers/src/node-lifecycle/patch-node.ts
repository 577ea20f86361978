import type { Node, Taint } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { taintsOf } from "./taints.ts"

export interface NodeChanges {
  readonly taints?: readonly Taint[]
  readonly labels?: Readonly<Record<string, string>>
}

/** One write for all of it, at the version that was looked at: taints are one list, and somebody else may just have changed it. */
export function patchNode(built: PlanBuilder, node: Node, { taints, labels }: NodeChanges, reason: string): void {
  const metadata = { resourceVersion: node.metadata.resourceVersion, ...(labels && { labels }) }
  built.patch(node, { metadata, ...(taints && { spec: { taints } }) }, reason)
}

/** Nothing when they are the very ones that it has. */
export function patchTaints(built: PlanBuilder, node: Node, taints: readonly Taint[], reason: string): void {
  if (taints !== taintsOf(node)) patchNode(built, node, { taints }, reason)
}
